/** Some changes need a recent authentication: the page asks for it, and the form continues where it was. */
import { useSyncExternalStore } from 'react'

type Asked = { answer: (isConfirmed: boolean) => void }

let asked: Asked | undefined
let waiting: Promise<boolean> | undefined
const listeners = new Set<() => void>()

function set(next: Asked | undefined): void {
  asked = next
  for (const listener of listeners) listener()
}

/** Asks the user to confirm who they are. Resolves to false if they do not. Several at once are asked once. */
export function askToConfirm(): Promise<boolean> {
  waiting ??= new Promise((resolve) => {
    set({
      answer(isConfirmed) {
        waiting = undefined
        set(undefined)
        resolve(isConfirmed)
      },
    })
  })
  return waiting
}

/** The open question, if there is one. */
export function useConfirmation(): Asked | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => asked,
  )
}
