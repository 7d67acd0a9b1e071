/**
 * Preloaded into each test file. Node 26 takes its handles apart at the end of a process, and now and then waits there
 * for ever, in a loop of its own, after connections were cut while they were being made. Nothing is left to be done at
 * that point: what still kept the process alive would have done so before.
 */
process.once('beforeExit', () => {
  // As the last of its kind: exiting here leaves out the listeners that come after.
  process.on('exit', (code) => process.exit(code))
})
