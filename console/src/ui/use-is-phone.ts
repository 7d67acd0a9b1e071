import { useSyncExternalStore } from 'react'

const phone = window.matchMedia('(max-width: 47.9375em)')
const short = window.matchMedia('(min-width: 40em) and (max-height: 37.5em)')

/** Whether the page is so narrow that rows become cards. The style sheets use the same width. */
export function useIsPhone(): boolean {
  return useMedia(phone)
}

/** Whether the page is low but not narrow, as on a screen that is enlarged to 200 %. The style sheets use the same sizes. */
export function useIsShort(): boolean {
  return useMedia(short)
}

function useMedia(media: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => media.matches,
  )
}
