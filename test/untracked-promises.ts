/**
 * Preloaded into each process of tests, before the runner. The runner follows every promise, to know which test an error belongs to that
 * no test waits for. That costs a twentieth of the processor time. Without it such an error fails the process instead, and is printed here.
 */
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const { createHook } = asyncHooks

asyncHooks.createHook = (callbacks: HookCallbacks) => {
  // The first hook is the runner's. Later ones get what they ask for.
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  return createHook({ ...callbacks, trackPromises: false })
}
syncBuiltinESMExports()

// An error of a thread ends it and goes to the thread that started it, which waits for it or gets here.
if (isMainThread) {
  for (const event of ['unhandledRejection', 'uncaughtExceptionMonitor']) {
    process.on(event, (error) => console.error('An error that no test waited for:', error))
  }
}
