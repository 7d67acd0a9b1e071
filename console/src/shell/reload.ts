/** A tab that was open during an upgrade asks for files that are gone: it reloads at the same address. */

const storageKey = 'rollbook-reloaded-at'
const pauseMs = 10_000

let isReloading = false

/** Reloads unless it has just done so without success. Returns whether the page is about to reload. */
export function reloadForNewRelease(): boolean {
  if (isReloading) return true
  const last = Number(sessionStorage.getItem(storageKey) ?? 0)
  if (Date.now() - last < pauseMs) return false
  sessionStorage.setItem(storageKey, String(Date.now()))
  isReloading = true
  location.reload()
  return true
}

export function reloadOnMissingChunk(): void {
  window.addEventListener('vite:preloadError', reloadForNewRelease)
}
