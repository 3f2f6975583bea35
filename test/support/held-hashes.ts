import { Worker } from "node:worker_threads";

/** Holds the passwords that reach a thread from now on: until the release each thread is busy. */
export function holdHashes() {
  const { postMessage } = Worker.prototype;
  const held: (() => void)[] = [];
  Worker.prototype.postMessage = function hold(this: Worker, ...message: [unknown]) {
    held.push(() => postMessage.apply(this, message));
  };
  const release = () => {
    Worker.prototype.postMessage = postMessage;
    for (const post of held.splice(0)) post();
  };
  return { release, [Symbol.dispose]: release };
}
