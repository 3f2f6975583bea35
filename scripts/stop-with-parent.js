// Loaded into the process that scripts/run.js starts. When the parent dies without having passed on a
// signal, the channel to it closes, and this process ends as on SIGTERM.
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
// The listener alone would keep a finished command running.
process.channel?.unref();
