import { useLingui } from '@lingui/react/macro'
import { useEffect } from 'react'
import { detailOf } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Parts<Version> = {
  read: () => Promise<Version>
  /** Whether this version differs from what the form was filled with. */
  concerns: (version: Version) => boolean
  /** Called if the form's fields were changed meanwhile. */
  onTheirs: (version: Version) => void
  /** Called if only something outside the form was changed, such as the last sign-in. */
  onSame: (version: Version) => void
  reset: () => void
}

/** Reads the current version after a change was refused because of its ETag. */
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
