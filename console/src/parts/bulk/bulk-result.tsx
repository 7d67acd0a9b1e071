/** The result of the change, or the partial result if it was stopped or interrupted. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { CopyLine } from '../../ui/copy.tsx'
import { DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { showToast } from '../../ui/toasts.tsx'
import { accountCommands } from '../database-account/commands.ts'
import styles from './bulk-dialog.module.css'
import { Focused, LeftOut, Refusals, Tiles } from './bulk-parts.tsx'
import type { BulkResult, BulkRow, BulkState } from './bulk-run.ts'
import type { BulkWords } from './bulk-words.tsx'
import { isReversible, type Reversible, reversalOf, type Undoable } from './reversal.ts'
import type { BulkAction } from './selection.ts'
import type { OverStep } from './use-bulk-change.ts'
import { useReversal } from './use-reversal.ts'

type ResultProps = {
  step: OverStep
  action: BulkAction
  groupId: string | undefined
  /** Managed users were changed as well, so they are put back as well. */
  override: boolean
  words: BulkWords
  onClose: () => void
  onAgain: () => void
}

export function Result(props: ResultProps) {
  const { action, groupId, override, words, onClose, onAgain } = props
  const { result, how, problem } = props.step
  const { t, i18n } = useLingui()
  const reverse = useReversal()
  const [isUndoing, setIsUndoing] = useState(false)
  const { changed, unchanged, refused, changedUsers, done, total, linksToCsv } = result
  const undoable =
    isReversible(action) && changed > 0 && changedUsers !== undefined
      ? reversible({ action, groupId, changedUsers, override })
      : undefined
  async function undo() {
    if (undoable === undefined || isUndoing) return
    setIsUndoing(true)
    const isDone = await reverse(undoable)
    setIsUndoing(false)
    if (isDone) onClose()
  }
  function close() {
    onClose()
    if (undoable === undefined) return
    showToast({
      message: <Done action={undoable.action} count={changed} />,
      action: { label: t`Undo`, onClick: () => void reverse(undoable) },
    })
  }
  return (
    <Focused>
      {how === 'cut' && <Problem error={problem} title={t`The connection was cut. Changes already made are kept.`} />}
      {how === 'stopped' && (
        <p role="status">
          <Trans>
            Stopped after {formatNumber(done, i18n.locale)} of {formatNumber(total ?? done, i18n.locale)} users. Changes
            already made are kept; a few more users may have been changed while it stopped.
          </Trans>
        </p>
      )}
      <Tiles words={words} changed={[words.done, changed]} unchanged={unchanged} refused={refused} />
      {linksToCsv !== undefined && (
        <p className={styles.warning} role="status">
          <Trans>
            Some links were not sent. Download them now and hand them over: they are shown only once, and anyone with a
            link can choose the password.
          </Trans>{' '}
          <Button size="xs" variant="default" onClick={() => saveFile(linksToCsv(), 'invitations.csv')}>
            <Trans>Download the links</Trans>
          </Button>
        </p>
      )}
      <LeftOut count={result.leftOut} />
      <Refusals result={withoutFile(result)} />
      {action === 'delete' && changed > 0 && (
        <DatabaseAccounts users={changed <= mostCommands ? changedUsers : undefined} />
      )}
      {action === 'delete' && changed > 0 && undoable === undefined && (
        <p className={styles.note}>
          <Trans>You can restore them on the Deleted users page.</Trans>
        </p>
      )}
      {isReversible(action) && action !== 'delete' && changed > 0 && undoable === undefined && (
        <p className={styles.note}>
          {action === 'set_attribute' || action === 'set_locale' || action === 'set_expires_at' ? (
            <Trans>Too many values to undo here. The command “rollbook users bulk --save-changed” keeps them.</Trans>
          ) : (
            <Trans>Too many users to undo here. Download the results and run “rollbook users bulk --from-file”.</Trans>
          )}
        </p>
      )}
      <DialogFoot
        aside={
          done > 0 && (
            <Button variant="subtle" color="gray" onClick={() => saveFile(result.toCsv(), `${action}.results.csv`)}>
              <Trans>Download the results</Trans>
            </Button>
          )
        }
      >
        {undoable !== undefined && (
          <Button variant="default" loading={isUndoing} onClick={() => void undo()}>
            <Undo action={undoable.action} count={changed} />
          </Button>
        )}
        {how !== 'done' && (
          <Button variant="default" onClick={onAgain}>
            <Trans>Continue with the rest</Trans>
          </Button>
        )}
        <Button onClick={close} data-primary>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </Focused>
  )
}

function reversible(change: Undoable): Undoable | undefined {
  return reversalOf(change) === undefined ? undefined : change
}

/** The most lines that a user would still copy by hand. */
const mostCommands = 1000

function Undo({ action, count }: { action: Reversible; count: number }) {
  switch (action) {
    case 'delete':
      return <Plural value={count} one="Undo: restore # user" other="Undo: restore # users" />
    case 'deactivate':
      return <Plural value={count} one="Undo: enable # user" other="Undo: enable # users" />
    case 'activate':
      return <Plural value={count} one="Undo: disable # user" other="Undo: disable # users" />
    case 'add_to_group':
      return <Plural value={count} one="Undo: remove # user" other="Undo: remove # users" />
    case 'remove_from_group':
      return <Plural value={count} one="Undo: add # user" other="Undo: add # users" />
    case 'set_attribute':
    case 'set_locale':
    case 'set_expires_at':
      return <Plural value={count} one="Undo: restore # value" other="Undo: restore # values" />
  }
}

function Done({ action, count }: { action: Reversible; count: number }) {
  switch (action) {
    case 'delete':
      return <Plural value={count} one="# user was deleted" other="# users were deleted" />
    case 'deactivate':
      return <Plural value={count} one="# user was disabled" other="# users were disabled" />
    case 'activate':
      return <Plural value={count} one="# user was enabled" other="# users were enabled" />
    case 'add_to_group':
      return <Plural value={count} one="# user was added" other="# users were added" />
    case 'remove_from_group':
      return <Plural value={count} one="# user was removed" other="# users were removed" />
    case 'set_attribute':
    case 'set_locale':
    case 'set_expires_at':
      return <Plural value={count} one="# user was changed" other="# users were changed" />
  }
}

/** Without the download of the refused: there is a file with all results. */
function withoutFile({ toCsv: _, linksToCsv: __, ...counts }: BulkResult): BulkState {
  return counts
}

/** The commands that drop the users' accounts in the product's database, which Rollbook never does. */
function DatabaseAccounts({ users }: { users: readonly BulkRow[] | undefined }) {
  const { t } = useLingui()
  if (users === undefined) {
    return (
      <p className={styles.note}>
        <Trans>Accounts with the same names in the product’s database still exist.</Trans>
      </p>
    )
  }
  const lines = users.flatMap(({ username }) => {
    const commands = accountCommands('drop', username ?? '')
    return typeof commands === 'string' ? [] : [commands.shell]
  })
  return (
    <details className={styles.accounts}>
      <summary>
        <Trans>Their accounts in the product’s database still exist</Trans>
      </summary>
      <p className={styles.note}>
        <Trans>
          Rollbook never removes them. Ask an administrator of that database to run these lines. Names that a database
          account cannot have are left out.
        </Trans>
      </p>
      {lines.length > 0 && (
        <div className={styles.lines}>
          <CopyLine text={lines.join('\n')} label={t`the commands`} />
        </div>
      )}
    </details>
  )
}
