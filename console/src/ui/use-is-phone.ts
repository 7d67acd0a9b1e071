import { useSyncExternalStore } from 'react'

const phone = window.matchMedia('(max-width: 47.9375em)')

/** Whether the page is so narrow that rows become cards. The style sheets use the same width. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      phone.addEventListener('change', listener)
      return () => phone.removeEventListener('change', listener)
    },
    () => phone.matches,
  )
}
