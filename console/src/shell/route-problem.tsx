import { useLingui } from '@lingui/react/macro'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Problem } from '../ui/problem.tsx'
import { MissingFile, reloadForNewRelease } from './reload.ts'

/** Shown instead of a page that could not be loaded or rendered. */
export function RouteProblem({ error }: { error: unknown }) {
  const { t } = useLingui()
  const router = useRouter()
  const isMissing = error instanceof MissingFile
  const [mayReload, setMayReload] = useState(isMissing)
  useEffect(() => {
    if (isMissing) reloadForNewRelease().then(setMayReload)
  }, [isMissing])
  if (mayReload) return null
  return (
    <div style={{ padding: '2rem' }}>
      <Problem error={error} retry={() => router.invalidate()} title={t`This page could not be shown.`} />
    </div>
  )
}
