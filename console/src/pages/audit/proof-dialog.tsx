/** How to detect changed or removed records: a checkpoint to keep, and the command that verifies. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { placeOf } from '../../api/base.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { checkpointQuery } from '../../data/audit.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { localDay } from '../../ui/days.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Instant } from '../../ui/time.tsx'
import styles from './audit.module.css'

export default function ProofDialog({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useLingui()
  const { data, error, refetch } = useQuery(checkpointQuery)
  const name = `checkpoint-${localDay(new Date())}.json`
  return (
    <Dialog isOpen onClose={onClose} size="lg" title={t`Verify the integrity of the audit`}>
      <p>
        <Trans>
          Each record holds a hash of itself and of the record before it, so that changing, removing or swapping one
          breaks the chain from there on. Verify it where the service runs, with access to its store:
        </Trans>
      </p>
      <CopyLine text="npx rollbook audit verify" label={t`the command that verifies`} />
      <p>
        <Trans>
          With a checkpoint that is kept away from the store, you also find records that were removed from the end or
          rewritten:
        </Trans>
      </p>
      {error !== null ? (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the checkpoint.`} />
      ) : data === undefined ? (
        <div className={styles.waiting} role="status" aria-label={t`Loading`}>
          <i />
        </div>
      ) : (
        <dl className={styles.facts}>
          <div>
            <dt>
              <Trans>Records</Trans>
            </dt>
            <dd>
              {formatNumber(data.count, i18n.locale)}
              {data.base_seq > 0 && (
                <span className={styles.quiet}>
                  <Trans>
                    records up to number {formatNumber(data.base_seq, i18n.locale)} were removed after their retention
                    period
                  </Trans>
                </span>
              )}
            </dd>
          </div>
          <div>
            <dt>
              <Trans>End of the chain</Trans>
            </dt>
            <dd>
              <code dir="ltr">
                {data.seq} {data.hash}
              </code>
            </dd>
          </div>
          <div>
            <dt>
              <Trans>As of</Trans>
            </dt>
            <dd>
              <Instant value={data.created_at} style="full" />
            </dd>
          </div>
        </dl>
      )}
      <CopyLine text={`npx rollbook audit verify --checkpoint ${name}`} label={t`the command with a checkpoint`} />
      <DialogFoot
        aside={
          <Group gap="xs">
            <ApiCallButton size="xs" calls={[{ operation: 'GET /audit/checkpoint' }]} />
            <a
              href={placeOf('docs#/default/get_audit_checkpoint_audit_checkpoint_get')}
              target="_blank"
              rel="noreferrer"
            >
              <Trans>About checkpoints</Trans>
            </a>
          </Group>
        }
      >
        <Button
          disabled={data === undefined}
          onClick={() => data && saveFile(new Blob([`${JSON.stringify(data)}\n`], { type: 'application/json' }), name)}
        >
          <Trans>Save checkpoint</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
