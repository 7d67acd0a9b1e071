/** One change for many users: what would happen first, then the change, then what became of it. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { BulkChange } from 'rollbook/client'
import { api } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { ApiCallButton } from '../api-call/button.tsx'
import { accountCommands } from '../database-account/commands.ts'
import { timeLeft } from '../imports/rate.ts'
import { CopyLine } from '../ui/copy.tsx'
import { Dialog, DialogFoot } from '../ui/dialog.tsx'
import { Duration } from '../ui/duration.tsx'
import { formatNumber } from '../ui/number.ts'
import { detailOf, Problem } from '../ui/problem.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { saveFile } from '../ui/save-file.ts'
import { showToast } from '../ui/toasts.tsx'
import { newKey } from '../ui/use-submit.ts'
import { RoleSelect } from '../user/role-select.tsx'
import styles from './bulk-dialog.module.css'
import { type BulkResult, type BulkRow, type BulkState, followBulk, untouched } from './bulk-run.ts'
import { type BulkWords, useBulkWords } from './bulk-words.tsx'
import type { BulkAction, Selection } from './selection.ts'

const changedKeys = [['users'], ['statistics'], ['deleted-users'], ['audit'], ['me']]

type Props = {
  action: BulkAction
  selection: Selection
  /** How many are selected, as far as is known. */
  total: number | undefined
  isOpen: boolean
  onClose: () => void
  /** Something was changed. */
  onDone: () => void
}

export default function BulkDialog({ isOpen, onClose, action, ...props }: Props) {
  const [isBusy, setIsBusy] = useState(false)
  const words = useBulkWords(action)
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={words.title} size="lg" loses={isBusy ? 'work' : undefined}>
      {isOpen && <Steps key={action} action={action} words={words} onBusy={setIsBusy} onClose={onClose} {...props} />}
    </Dialog>
  )
}

type StepsProps = Omit<Props, 'isOpen'> & { words: BulkWords; onBusy: (isBusy: boolean) => void }
type Step =
  | { name: 'role' }
  | { name: 'plan'; state: BulkState }
  | { name: 'planned'; plan: BulkResult }
  | { name: 'run'; state: BulkState }
  | { name: 'over'; result: BulkResult; how: 'done' | 'stopped' | 'cut'; problem?: unknown }
  | { name: 'failed'; problem: unknown }

function Steps({ action, selection, total, words, onBusy, onClose, onDone }: StepsProps) {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  const [role, setRole] = useState('user')
  const [step, setStep] = useState<Step>(
    action === 'set_role' ? { name: 'role' } : { name: 'plan', state: { ...untouched, total } },
  )
  const abort = useRef<AbortController | undefined>(undefined)
  /** Of the change as it was planned: sent again after a cut it has no second effect. */
  const key = useRef(newKey())
  const change: BulkChange = { action, ...selection, ...(action === 'set_role' && { role }) }

  const isClosed = useRef(false)
  // A dialog that is closed works for nobody.
  useEffect(() => {
    isClosed.current = false
    return () => {
      isClosed.current = true
      abort.current?.abort()
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens.
  useEffect(() => {
    if (action !== 'set_role') void plan()
  }, [])

  async function plan() {
    const controller = renewed()
    key.current = newKey()
    setStep({ name: 'plan', state: { ...untouched, total } })
    const { signal } = controller
    try {
      const lines = api.users.bulk(change, { dryRun: true, rows: 'refused', signal })
      const planned = await followBulk(lines, {
        onState: (state) => setStep({ name: 'plan', state }),
        onCut: () => undefined,
      })
      setStep({ name: 'planned', plan: planned })
    } catch (problem) {
      if (!signal.aborted) setStep({ name: 'failed', problem })
    }
  }

  async function carryOut() {
    const { signal } = renewed()
    let soFar: BulkResult | undefined
    setStep({ name: 'run', state: { ...untouched, total: step.name === 'planned' ? step.plan.total : total } })
    onBusy(true)
    try {
      const result = await followBulk(api.users.bulk(change, { rows: 'all', signal, idempotencyKey: key.current }), {
        onState: (state) => setStep({ name: 'run', state }),
        onCut: (cut) => {
          soFar = cut
        },
      })
      setStep({ name: 'over', result, how: 'done' })
      soFar = result
    } catch (problem) {
      // What was stopped is not finished under its name.
      if (signal.aborted) key.current = newKey()
      if (signal.aborted && soFar !== undefined) setStep({ name: 'over', result: soFar, how: 'stopped' })
      else if (soFar?.total !== undefined) setStep({ name: 'over', result: soFar, how: 'cut', problem })
      else setStep({ name: 'failed', problem })
    } finally {
      onBusy(false)
      if (isClosed.current && signal.aborted && soFar !== undefined) {
        const done = formatNumber(soFar.done, i18n.locale)
        showToast({ message: t`Stopped after ${done} users. What was done stays done.` })
      }
      if (soFar !== undefined && soFar.changed > 0) {
        onDone()
        for (const queryKey of changedKeys) void queries.invalidateQueries({ queryKey })
      }
    }
  }

  function renewed(): AbortController {
    abort.current?.abort()
    abort.current = new AbortController()
    return abort.current
  }
  const call = (isDryRun: boolean) => (
    <ApiCallButton
      calls={[
        {
          operation: 'POST /users/bulk',
          ...(isDryRun && { query: { dry_run: true, rows: 'refused' } }),
          body: change,
        },
      ]}
    />
  )

  if (step.name === 'role')
    return (
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault()
          void plan()
        }}
      >
        <RoleSelect
          current="user"
          value={role}
          onChange={(event) => setRole(event.currentTarget.value)}
          description={t`The Roles page lists what each role may do.`}
          data-autofocus
        />
        <DialogFoot>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit">
            <Trans>Preview</Trans>
          </Button>
        </DialogFoot>
      </form>
    )
  if (step.name === 'plan')
    return (
      <>
        <p>
          <Trans>Checking what would change. Nothing is changed yet.</Trans>
        </p>
        <Progress label={t`Checking what would change`} state={step.state} />
        <DialogFoot>
          <Button variant="default" onClick={onClose} data-autofocus>
            <Trans>Cancel</Trans>
          </Button>
        </DialogFoot>
      </>
    )
  if (step.name === 'failed')
    return (
      <>
        <Problem error={step.problem} retry={() => void plan()} />
        <DialogFoot aside={call(true)}>
          <Button variant="default" onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        </DialogFoot>
      </>
    )
  if (step.name === 'planned') {
    const { changed, unchanged, refused } = step.plan
    return (
      <Focused>
        <p className={styles.note}>
          <Trans>Nothing is changed yet.</Trans>
        </p>
        <Tiles
          tiles={[
            [words.would, changed],
            ...(unchanged > 0 ? ([[words.already, unchanged]] as [string, number][]) : []),
            [t`Refused`, refused],
          ]}
        />
        <Oneself action={action} selection={selection} />
        {action === 'delete' && changed > 0 && (
          <p className={styles.note}>
            <Trans>
              They are signed out at once, and can be restored for some time. Accounts of the same names in the
              product’s database are not touched.
            </Trans>
          </p>
        )}
        <Refusals result={step.plan} />
        <DialogFoot aside={call(false)}>
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            {...(action === 'delete' && { color: 'red.9' })}
            disabled={changed === 0}
            onClick={() => void carryOut()}
            data-primary
          >
            {words.button(changed)}
          </Button>
        </DialogFoot>
        {changed === 0 && (
          <p className={styles.note}>
            <Trans>There is nothing to change.</Trans>
          </p>
        )}
      </Focused>
    )
  }
  if (step.name === 'run')
    return (
      <>
        <Progress label={words.title} state={step.state} />
        <Recent rows={step.state.recent} words={words} />
        {step.state.refused > 0 && <Refusals result={step.state} />}
        <DialogFoot>
          <span className={styles.note}>
            <Trans>What is done stays done when you stop.</Trans>
          </span>
          <Button variant="default" onClick={() => abort.current?.abort()} autoFocus>
            <Trans>Stop</Trans>
          </Button>
        </DialogFoot>
      </>
    )
  return <Over step={step} action={action} words={words} onClose={onClose} onAgain={() => void carryOut()} />
}

/** What had the focus is gone: the button that leads on gets it. */
function Focused({ children }: { children: React.ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const primary = box.current?.querySelector<HTMLButtonElement>('[data-primary]:not(:disabled)')
    const any = box.current?.querySelector<HTMLButtonElement>('button:not(:disabled)')
    ;(primary ?? any)?.focus()
  }, [])
  return (
    <div ref={box} className={styles.stack}>
      {children}
    </div>
  )
}

function Progress({ label, state: { done, total, perSecond } }: { label: string; state: BulkState }) {
  const { i18n } = useLingui()
  const left = timeLeft(done, total, perSecond)
  return (
    <ProgressBar label={label} done={done} total={total}>
      <span>
        {total === undefined ? (
          <Plural value={done} one="# user" other="# users" />
        ) : (
          <Trans>
            {formatNumber(done, i18n.locale)} of {formatNumber(total, i18n.locale)} users
          </Trans>
        )}
      </span>
      {perSecond !== undefined && (
        <span>
          <Trans>{formatNumber(Math.round(perSecond), i18n.locale)} users a second</Trans>
        </span>
      )}
      {left !== undefined && (
        <span>
          <Trans>
            <Duration seconds={left} /> left
          </Trans>
        </span>
      )}
    </ProgressBar>
  )
}

function Tiles({ tiles }: { tiles: readonly [string, number][] }) {
  const { i18n } = useLingui()
  return (
    <div role="status">
      <dl className={styles.tiles}>
        {tiles.map(([label, count]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{formatNumber(count, i18n.locale)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** Said before it happens: one's own session is the one that this page lives from. */
function Oneself({ action, selection }: { action: BulkAction; selection: Selection }) {
  const me = useMe()
  const { data: isAmong = false } = useQuery({
    queryKey: ['users', 'oneself-among', selection],
    async queryFn({ signal }) {
      if ('user_ids' in selection) return selection.user_ids.includes(me.user_id)
      if (selection.except.includes(me.user_id)) return false
      const { users } = await api.users.page({ ...selection.filter, user_id: [me.user_id], limit: 1 }, { signal })
      return users.length > 0
    },
    staleTime: 0,
  })
  if (!isAmong || action === 'activate' || action === 'restore') return null
  return (
    <p className={styles.warning}>
      {action === 'set_role' ? (
        <Trans>This includes you. You may lose access to this page. Your account is changed last.</Trans>
      ) : action === 'end_sessions' ? (
        <Trans>This includes you. You will have to sign in again.</Trans>
      ) : (
        <Trans>This includes you. You will be signed out and cannot sign in again. Your account is changed last.</Trans>
      )}
    </p>
  )
}

/** There is a file with everybody beside it. */
function withoutFile({ toCsv: _, ...counts }: BulkResult): BulkState {
  return counts
}

function Refusals({ result }: { result: BulkState & { toCsv?: () => Blob } }) {
  const { i18n } = useLingui()
  const { refused, refusals, toCsv } = result
  if (refused === 0) return null
  return (
    <section className={styles.refusals}>
      <h3>
        <Plural value={refused} one="# user is refused" other="# users are refused" />
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too. */}
      <ul tabIndex={0}>
        {refusals.map(({ user_id, username, detail }) => (
          <li key={user_id}>
            <strong>
              <bdi>{username ?? user_id}</bdi>
            </strong>{' '}
            {detail}
          </li>
        ))}
      </ul>
      {refused > refusals.length && (
        <p className={styles.note}>
          <Trans>The first {formatNumber(refusals.length, i18n.locale)} are shown; the file has all of them.</Trans>
        </p>
      )}
      {toCsv !== undefined && refused > 5 && (
        <Button size="xs" variant="default" onClick={() => saveFile(toCsv(), 'refused.csv')}>
          <Trans>Download as CSV</Trans>
        </Button>
      )}
    </section>
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

/** Brings deleted users back, and says how that went. */
function useRestore(): (users: readonly BulkRow[]) => Promise<boolean> {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  return async (users) => {
    try {
      const user_ids = users.map(({ user_id }) => user_id)
      const { changed, refused, refusals } = await followBulk(
        api.users.bulk({ action: 'restore', user_ids }, { rows: 'refused' }),
        { onState: () => undefined, onCut: () => undefined },
      )
      const restored = formatNumber(changed, i18n.locale)
      const failed = formatNumber(refused, i18n.locale)
      const first = refusals[0]?.detail ?? ''
      if (refused === 0) showToast({ message: t`Restored: ${restored}` })
      else showToast({ kind: 'fault', message: t`Restored: ${restored}. Refused: ${failed}. ${first}` })
      return true
    } catch (error) {
      showToast({
        kind: 'fault',
        message: detailOf(error, t`The service cannot be reached.`),
      })
      return false
    } finally {
      for (const queryKey of changedKeys) void queries.invalidateQueries({ queryKey })
    }
  }
}

type OverProps = {
  step: Extract<Step, { name: 'over' }>
  action: BulkAction
  words: BulkWords
  onClose: () => void
  onAgain: () => void
}

function Over({ step: { result, how, problem }, action, words, onClose, onAgain }: OverProps) {
  const { t, i18n } = useLingui()
  const restore = useRestore()
  const [isRestoring, setIsRestoring] = useState(false)
  const { changed, unchanged, refused, changedUsers, done, total } = result
  const canUndo = action === 'delete' && changed > 0 && changedUsers !== undefined
  async function undo() {
    if (changedUsers === undefined || isRestoring) return
    setIsRestoring(true)
    const isDone = await restore(changedUsers)
    setIsRestoring(false)
    if (isDone) onClose()
  }
  function close() {
    onClose()
    if (canUndo)
      showToast({
        message: <Plural value={changed} one="# user was deleted" other="# users were deleted" />,
        action: { label: t`Undo`, onClick: () => void restore(changedUsers) },
      })
  }
  return (
    <Focused>
      {how === 'cut' && <Problem error={problem} title={t`The connection was cut. What was done stays done.`} />}
      {how === 'stopped' && (
        <p role="status">
          <Trans>
            Stopped after {formatNumber(done, i18n.locale)} of {formatNumber(total ?? done, i18n.locale)} users. What
            was done stays done; some more may have been changed while it stopped.
          </Trans>
        </p>
      )}
      <Tiles
        tiles={[
          [words.done, changed],
          ...(unchanged > 0 ? ([[words.already, unchanged]] as [string, number][]) : []),
          [t`Refused`, refused],
        ]}
      />
      <Refusals result={withoutFile(result)} />
      {canUndo && changedUsers !== undefined && <DatabaseAccounts users={changedUsers} />}
      {action === 'delete' && changed > 0 && !canUndo && (
        <p className={styles.note}>
          <Trans>
            They can be brought back one by one on the Deleted users page. Accounts of the same names in the product’s
            database are still there.
          </Trans>
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
        {canUndo && (
          <Button variant="default" loading={isRestoring} onClick={() => void undo()}>
            <Plural value={changed} one="Undo: restore # user" other="Undo: restore # users" />
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

/** The step that is never taken for anybody: what belongs to the product's database. */
function DatabaseAccounts({ users }: { users: readonly BulkRow[] }) {
  const { t } = useLingui()
  const lines = users.flatMap(({ username }) => {
    const commands = accountCommands('drop', username ?? '')
    return typeof commands === 'string' ? [] : [commands.shell]
  })
  return (
    <details className={styles.accounts}>
      <summary>
        <Trans>Their accounts in the product’s database are still there</Trans>
      </summary>
      <p className={styles.note}>
        <Trans>
          Rollbook never drops one. If they are to go as well, an administrator of that database runs these lines; of
          names that a database account cannot have there is none.
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
