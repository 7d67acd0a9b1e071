/**
 * Preloaded into each process of tests, before the runner. The runner follows every promise, to know which test an error belongs to that
 * no test waits for. That costs a twentieth of the processor time. Without it such an error fails the process instead, and is printed here.
 */
import asyncHooks, { type HookCallbacks } from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks

asyncHooks.createHook = (callbacks: HookCallbacks) => {
  // The first hook is the runner's. Later ones get what they ask for.
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  return createHook({ ...callbacks, trackPromises: false })
}
syncBuiltinESMExports()

for (const event of ['unhandledRejection', 'uncaughtExceptionMonitor']) {
  process.on(event, (error) => console.error('An error that no test waited for:', error))
}
