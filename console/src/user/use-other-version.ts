import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { detailOf } from '../ui/problem.tsx'
import { showToast } from '../ui/toasts.tsx'

type Parts<Version> = {
  read: () => Promise<Version>
  /** Whether what the form shows is another than it was filled with. */
  concerns: (version: Version) => boolean
  /** Somebody else changed what the form shows. */
  onTheirs: (version: Version) => void
  /** Something that the form does not show was changed, such as the last sign-in. */
  onSame: (version: Version) => void
  reset: () => void
}

/** Once a change was refused because it was for another version: reads the one there is. */
export function useOtherVersion<Version>(isStale: boolean, parts: Parts<Version>): void {
  const { t } = useLingui()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each refusal.
  useEffect(() => {
    if (!isStale) return
    let isCurrent = true
    const { read, concerns, onTheirs, onSame, reset } = parts
    read().then(
      (version) => {
        if (!isCurrent) return
        if (concerns(version)) return onTheirs(version)
        reset()
        onSame(version)
      },
      (problem: unknown) => {
        if (!isCurrent) return
        reset()
        showToast({ kind: 'fault', message: detailOf(problem, t`The service cannot be reached. Nothing was saved.`) })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [isStale])
}
