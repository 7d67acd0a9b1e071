/** The token of the one-time link. It is removed from the URL immediately, and survives a reload of this tab. */

const storageKey = 'rollbook-setup-token'

export function tokenIn(hash: string): string | undefined {
  return new URLSearchParams(hash.replace(/^#/, '')).get('token')?.trim() || undefined
}

/** Removes the token from the URL, where the history, a screenshot or a shared screen would reveal it. */
export function takeToken(): string | undefined {
  const token = tokenIn(location.hash)
  if (token === undefined) return sessionStorage.getItem(storageKey) ?? undefined
  sessionStorage.setItem(storageKey, token)
  history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

export function forgetToken(): void {
  sessionStorage.removeItem(storageKey)
}
