/** What every page has to know of the connection: who has to sign in again, until when to wait, whether we are offline. */
import { focusManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

export type Weather = {
  /** The session ended while the page was open. */
  isSignedOut: boolean
  /** Too many requests, or a busy service: when it wants to be asked again, in epoch milliseconds. */
  busyUntil: number | undefined
  isOffline: boolean
}

let weather: Weather = { isSignedOut: false, busyUntil: undefined, isOffline: !navigator.onLine }
const listeners = new Set<() => void>()

export function setWeather(change: Partial<Weather>): void {
  weather = { ...weather, ...change }
  // As in a hidden tab, nothing is asked by itself: each refusal would be one more record in the audit.
  focusManager.setFocused(weather.isSignedOut ? false : undefined)
  for (const listener of listeners) listener()
}

export function weatherNow(): Weather {
  return weather
}

export function useWeather(): Weather {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, weatherNow)
}

export function noteAnswer({ status, headers, url }: Response, method: string): void {
  // Wrong passwords at the sign-in form are answered with 401 too.
  const isSignIn = method === 'POST' && url.endsWith('/sessions')
  if (status === 401 && !isSignIn && !weather.isSignedOut) setWeather({ isSignedOut: true })
  const seconds = Number(headers.get('retry-after'))
  if ((status === 429 || status === 503) && seconds > 0 && !isSignIn)
    setWeather({ busyUntil: Date.now() + seconds * 1000 })
}

window.addEventListener('online', () => setWeather({ isOffline: false }))
window.addEventListener('offline', () => setWeather({ isOffline: true }))
