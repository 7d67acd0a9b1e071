import { useLingui } from '@lingui/react/macro'
import { Problem } from '../ui/problem.tsx'
import { reloadForNewRelease } from './reload.ts'

/** Shown instead of a page that could not be loaded or rendered. */
export function RouteProblem({ error, reset }: { error: unknown; reset: () => void }) {
  const { t } = useLingui()
  // What browsers throw for a missing script.
  const isMissingChunk =
    error instanceof TypeError && /dynamically imported module|module script|Importing a module/i.test(error.message)
  if (isMissingChunk && reloadForNewRelease()) return null
  return (
    <div style={{ padding: '2rem' }}>
      <Problem error={error} retry={reset} title={t`This page could not be shown.`} />
    </div>
  )
}
