import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ImportJob } from 'rollbook/client'
import { timeLeft } from '../../lib/rate.ts'
import { Duration } from '../../ui/duration.tsx'
import { formatNumber } from '../../ui/number.ts'
import { detailOf } from '../../ui/problem.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import styles from './imports.module.css'
import type { ImportRun } from './run.ts'

/** The progress of an import, sent by this page or elsewhere. */
export function RunProgress({ run, job }: { run: ImportRun | undefined; job: ImportJob | undefined }) {
  const { t, i18n } = useLingui()
  const done = job?.rows_done ?? 0
  const total = run?.total?.rows
  const left = timeLeft(done, total, run?.perSecond)
  const isWaiting = run?.state === 'waiting'
  const rows = formatNumber(done, i18n.locale)
  return (
    <div className={styles.stack}>
      <ProgressBar
        label={(run?.isDryRun ?? job?.dry_run) ? t`Checking the file` : t`Importing`}
        done={done}
        total={total}
        isPaused={isWaiting || job?.state === 'interrupted'}
      >
        <span>
          {total === undefined ? (
            <Plural value={done} one="# row" other={`${rows} rows`} />
          ) : run?.total?.isExact ? (
            <Trans>
              {rows} of {formatNumber(total, i18n.locale)} rows
            </Trans>
          ) : (
            <Trans>
              {rows} of about {formatNumber(total, i18n.locale)} rows
            </Trans>
          )}
        </span>
        {run?.perSecond !== undefined && (
          <span>
            <Trans>{formatNumber(Math.round(run.perSecond), i18n.locale)} rows a second</Trans>
          </span>
        )}
        {left !== undefined && !isWaiting && (
          <span>
            <Trans>
              <Duration seconds={left} /> left
            </Trans>
          </span>
        )}
      </ProgressBar>
      {isWaiting && (
        <p className={styles.warning} role="status">
          <Trans>Waiting to retry:</Trans> {detailOf(run.problem, t`The service cannot be reached.`)}
        </p>
      )}
    </div>
  )
}
