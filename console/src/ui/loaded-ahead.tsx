import { type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react'

/**
 * A component in a file of its own that is fetched once the page is idle. Later it is drawn at once, while `lazy` shows
 * nothing at first, even when its file is there.
 */
export function loadedAhead<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): { Component: (props: Props) => ReactNode; usePreload: () => void } {
  let loaded: ComponentType<Props> | undefined
  const remember = async () => {
    const module = await load()
    loaded = module.default
    return module
  }
  const Late = lazy(remember)
  // A file that cannot be fetched is reported when it is opened.
  const ahead = () => void remember().catch(() => undefined)
  return {
    Component(props) {
      // The same for as long as it is on the page, or what was typed in it would be gone.
      const [Chosen] = useState(() => loaded ?? Late)
      return <Chosen {...props} />
    },
    usePreload() {
      // biome-ignore lint/correctness/useExhaustiveDependencies: the same function for ever.
      useEffect(() => whenIdle(ahead), [])
    },
  }
}

function whenIdle(then: () => void): () => void {
  // Safari has no idle callbacks.
  if (typeof requestIdleCallback !== 'function') {
    const timer = setTimeout(then, 200)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(then, { timeout: 2000 })
  return () => cancelIdleCallback(handle)
}
