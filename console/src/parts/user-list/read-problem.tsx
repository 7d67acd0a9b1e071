import { useLingui } from '@lingui/react/macro'
import { Problem } from '../../ui/problem.tsx'
import styles from './user-list.module.css'

/** Shown above the rows, which stay. */
export function ReadProblem({ error, retry }: { error: Error; retry: () => void }) {
  const { t } = useLingui()
  return (
    <div className={styles.problem}>
      <Problem error={error} retry={retry} title={t`Could not load these users.`} />
    </div>
  )
}
