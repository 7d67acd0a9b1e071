import { type ComponentType, lazy, type ReactNode, useEffect, useState } from 'react'

/**
 * A component whose file is fetched once the page is idle. It then renders at once; `lazy` alone renders nothing at
 * first, even if the file is loaded.
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
  // A failed fetch is reported when the component is opened.
  const ahead = () => void remember().catch(() => undefined)
  return {
    Component(props) {
      // Keep the same component while it is mounted, or typed input would be lost.
      const [Chosen] = useState(() => loaded ?? Late)
      return <Chosen {...props} />
    },
    usePreload() {
      // biome-ignore lint/correctness/useExhaustiveDependencies: the function never changes.
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
