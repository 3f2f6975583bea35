import { Worker } from "node:worker_threads";

/** Passwords whose threads get their work only at the release: until then each thread is busy. */
export interface HeldHashes extends Disposable {
  release(): void;
}

/** Holds the passwords that reach a thread from now on. */
export function holdHashes(): HeldHashes {
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
