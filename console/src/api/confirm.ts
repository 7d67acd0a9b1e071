/** Asks for a recent authentication when a change needs one; then the form continues. */
import { useSyncExternalStore } from 'react'

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

/** Asks for a recent authentication where the change needs one, and then sends it again. */
export async function confirming<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send()
  } catch (error) {
    if (!isUnconfirmed(error) || !(await askToConfirm())) throw error
    return send()
  }
}

/** Compares the name, not the class, so that this file also runs without the bundler. */
function isUnconfirmed(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'RollbookError' &&
    'code' in error &&
    error.code === 'reauthentication_required'
  )
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
