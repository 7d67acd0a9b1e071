/** Reloads a tab that was open during an upgrade and requests files that no longer exist. */

import { ConnectionError } from 'rollbook/client'

const storageKey = 'rollbook-reloaded-at'
const pauseMs = 10_000

/** A file of the console could not be fetched. */
export class MissingFile extends ConnectionError {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.name = 'MissingFile'
  }
}

let reloading: Promise<boolean> | undefined

/**
 * Reloads unless the last reload was a moment ago, or the server does not respond: the browser's own error page would
 * replace a console that still works. Resolves to whether the page is about to reload.
 */
export function reloadForNewRelease(): Promise<boolean> {
  reloading ??= reload().then((isAbout) => {
    if (!isAbout) reloading = undefined
    return isAbout
  })
  return reloading
}

async function reload(): Promise<boolean> {
  const last = Number(sessionStorage.getItem(storageKey) ?? 0)
  if (Date.now() - last < pauseMs || !(await isServed())) return false
  sessionStorage.setItem(storageKey, String(Date.now()))
  location.reload()
  return true
}

function isServed(): Promise<boolean> {
  return fetch(location.href, { method: 'HEAD', cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

export function reloadOnMissingChunk(): void {
  window.addEventListener('vite:preloadError', () => void reloadForNewRelease())
}
