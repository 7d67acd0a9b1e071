/** The change while it runs. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { DialogFoot } from '../../ui/dialog.tsx'
import styles from './bulk-dialog.module.css'
import { Progress, Refusals } from './bulk-parts.tsx'
import type { BulkRow, BulkState } from './bulk-run.ts'
import type { BulkWords } from './bulk-words.tsx'

export function Running({ state, words, onStop }: { state: BulkState; words: BulkWords; onStop: () => void }) {
  return (
    <>
      <Progress label={words.title} state={state} />
      <Recent rows={state.recent} words={words} />
      {state.refused > 0 && <Refusals result={state} />}
      <DialogFoot>
        <span className={styles.note}>
          <Trans>Changes already made are kept when you stop.</Trans>
        </span>
        <Button variant="default" onClick={onStop} autoFocus>
          <Trans>Stop</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

function Recent({ rows, words }: { rows: readonly BulkRow[]; words: BulkWords }) {
  const { t } = useLingui()
  const verdicts = { changed: words.done, unchanged: words.already, refused: t`Refused` }
  return (
    <ul className={styles.recent} aria-hidden="true">
      {rows.map(({ user_id, username, verdict }) => (
        <li key={user_id} data-verdict={verdict}>
          <bdi>{username ?? user_id}</bdi>
          <span>{verdicts[verdict]}</span>
        </li>
      ))}
    </ul>
  )
}
