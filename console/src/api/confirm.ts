/** Asks for a recent authentication, or for another sign-in, when a change needs one; then the form continues. */
import { useSyncExternalStore } from 'react'
import { setWeather, signedInAgain } from './weather.ts'

type Asked = { resolve: (isConfirmed: boolean) => void }

let pending: Asked | undefined
let waiting: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function set(next: Asked | undefined): void {
  pending = next
  for (const listener of listeners) listener()
}

/** Asks the user to confirm who they are. Resolves to false if they do not. Several at once are asked once. */
function askToConfirm(): Promise<boolean> {
  waiting ??= new Promise((resolve) => {
    set({
      resolve(isConfirmed) {
        waiting = undefined
        set(undefined)
        resolve(isConfirmed)
      },
    })
  })
  return waiting
}

/**
 * Sends a change, and sends it again once the user has confirmed who they are, or has signed in again after the session
 * ended. The same Idempotency-Key, if `send` has one, keeps a second change from having a second effect.
 */
export async function confirming<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (hasSessionEnded(error)) {
      setWeather({ isSignedOut: true })
      await signedInAgain()
      return confirming(send)
    }
    if (!hasCode(error, 'reauthentication_required') || !(await askToConfirm())) throw error
    return send()
  }
}

function hasSessionEnded(error: unknown): boolean {
  return hasCode(error, 'credential_missing') || hasCode(error, 'credential_invalid')
}

/** Compares the name, not the class, so that this file also runs without the bundler. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && error.name === 'RollbookError' && 'code' in error && error.code === code
}

/** The open question, if there is one. */
export function useConfirmation(): Asked | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => pending,
  )
}
