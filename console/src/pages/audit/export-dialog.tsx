import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { ApiCallButton } from '../../api-call/button.tsx'
import { type AuditSearch, actionsOf, filterOf, isFiltered } from '../../data/search/audit.ts'
import { localDay } from '../../ui/days.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { saveRecords } from './save-records.ts'

type State =
  | { at: 'start' }
  | { at: 'running'; bytes: number }
  | { at: 'done'; bytes: number }
  | { at: 'failed'; error: unknown }

export default function ExportDialog({ search, onClose }: { search: AuditSearch; onClose: () => void }) {
  const { t, i18n } = useLingui()
  const [state, setState] = useState<State>({ at: 'start' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const filter = filterOf(search, actionsOf(search))
  const name = `audit-${localDay(new Date())}.ndjson`

  async function run() {
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    let bytes = 0
    setState({ at: 'running', bytes })
    try {
      await saveRecords(filter, name, {
        signal,
        onProgress(now) {
          bytes = now
          setState({ at: 'running', bytes })
        },
      })
      setState({ at: 'done', bytes })
    } catch (error) {
      setState(signal.aborted ? { at: 'start' } : { at: 'failed', error })
    }
  }

  const isRunning = state.at === 'running'
  const size = 'bytes' in state ? `${formatNumber(Math.ceil(state.bytes / 1000), i18n.locale)} kB` : ''
  return (
    <Dialog isOpen onClose={onClose} title={t`Export audit`} loses={isRunning ? 'work' : undefined}>
      <p>
        {isFiltered(search) ? (
          <Trans>Every record that matches the filters, oldest first, one JSON object per line.</Trans>
        ) : (
          <Trans>Every record, oldest first, one JSON object per line.</Trans>
        )}
      </p>
      <p role="status">
        {state.at === 'running' && <Trans>Reading: {size} so far</Trans>}
        {state.at === 'done' && (
          <Trans>
            Saved as <code dir="ltr">{name}</code>, complete: {size}.
          </Trans>
        )}
      </p>
      {state.at === 'failed' && (
        <Problem error={state.error} title={t`The export is incomplete, so nothing was saved.`} />
      )}
      <DialogFoot
        aside={
          <ApiCallButton
            size="xs"
            calls={[{ operation: 'GET /audit', query: filter, accept: 'application/x-ndjson' }]}
          />
        }
      >
        <Button
          variant="default"
          onClick={() => {
            if (isRunning) running.current?.abort()
            else onClose()
          }}
        >
          {isRunning ? <Trans>Cancel</Trans> : <Trans>Close</Trans>}
        </Button>
        <Button onClick={() => void run()} loading={isRunning} data-autofocus>
          {state.at === 'done' ? <Trans>Save again</Trans> : <Trans>Save as a file</Trans>}
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
