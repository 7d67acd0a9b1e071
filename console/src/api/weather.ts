/** The state of the connection that every page needs: signed out, busy until when, offline. */
import { focusManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

type Weather = {
  /** The session ended while the page was open. */
  isSignedOut: boolean
  /** Too many requests, or a busy service: when to retry, in epoch milliseconds. */
  busyUntil: number | undefined
  isOffline: boolean
}

let weather: Weather = { isSignedOut: false, busyUntil: undefined, isOffline: !navigator.onLine }
const listeners = new Set<() => void>()

export function setWeather(change: Partial<Weather>): void {
  weather = { ...weather, ...change }
  // Pause polling, as in a hidden tab: each refusal would be one more audit record.
  focusManager.setFocused(weather.isSignedOut ? false : undefined)
  for (const listener of listeners) listener()
}

export function weatherNow(): Weather {
  return weather
}

/** Resolves once the user whose session ended has signed in again. A page that is left never gets there. */
export function signedInAgain(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (weather.isSignedOut) return
      listeners.delete(check)
      resolve()
    }
    listeners.add(check)
    check()
  })
}

export function useWeather(): Weather {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, weatherNow)
}

export function noteAnswer({ status, headers, url }: Response, method: string): void {
  // Wrong passwords in the sign-in form also return 401.
  const isSignIn = method === 'POST' && url.endsWith('/sessions')
  if (status === 401 && !isSignIn && !weather.isSignedOut) setWeather({ isSignedOut: true })
  const seconds = Number(headers.get('retry-after'))
  if ((status === 429 || status === 503) && seconds > 0 && !isSignIn)
    setWeather({ busyUntil: Date.now() + seconds * 1000 })
}

window.addEventListener('online', () => setWeather({ isOffline: false }))
window.addEventListener('offline', () => setWeather({ isOffline: true }))
