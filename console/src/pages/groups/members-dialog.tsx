/** Adds or removes members: shows a preview for each, makes the change, then shows the result. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { Group } from 'rollbook/client'
import { useMe } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Focused, Progress } from '../../parts/bulk/bulk-parts.tsx'
import { untouched } from '../../parts/bulk/bulk-run.ts'
import type { Selection } from '../../parts/bulk/selection.ts'
import { endOfDay } from '../../parts/end-date/end-date.ts'
import styles from '../../parts/user-finder/members.module.css'
import { namedPeople } from '../../parts/user-finder/named-people.ts'
import { eachOnce, type Person } from '../../parts/user-finder/pasted-names.ts'
import { Dialog, DialogFoot, type Loss } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ChooseMembers, type Chosen } from './choose-members.tsx'
import { MemberRows } from './member-rows.tsx'
import { changedAtOnce, countRows, type Kind } from './member-run.ts'
import { selectedMembers } from './people.ts'
import { RoleNote } from './role-note.tsx'
import { type End, type Step, type Subjects, useMemberChange } from './use-member-change.ts'

type Props = {
  group: Group
  kind: Kind
  /** The members to remove. Those to add are chosen in the dialog. */
  selection?: Selection
  onClose: () => void
  /** Called once the change was made completely or in part. */
  onDone: () => void
}

export default function MembersDialog({ onClose, ...props }: Props) {
  const { t } = useLingui()
  const [loses, setLoses] = useState<Loss | undefined>()
  const { name } = props.group
  const title = props.kind === 'add' ? t`Add members to ${name}` : t`Remove members from ${name}`
  return (
    <Dialog isOpen onClose={onClose} title={title} size="lg" loses={loses}>
      <Steps onLoss={setLoses} onClose={onClose} {...props} />
    </Dialog>
  )
}

type StepsProps = Props & { onLoss: (loss: Loss | undefined) => void }

function Steps({ group, kind, selection, onLoss, onClose, onDone }: StepsProps) {
  const { t } = useLingui()
  const first: Step = kind === 'add' ? { name: 'choose' } : { name: 'check', progress: { done: 0, total: undefined } }
  const [chosen, setChosen] = useState<Chosen>({ picked: [], text: '', day: '' })
  const end = chosen.day === '' ? {} : { expires_at: endOfDay(chosen.day) }
  const { step, plan, carryOut, stop, back } = useMemberChange({
    groupId: group.group_id,
    kind,
    end,
    first,
    onBusy: (isBusy) => onLoss(isBusy ? 'work' : undefined),
    onDone,
  })
  const planRemoval = () =>
    plan(async (signal) => ({
      people: selection === undefined ? [] : await selectedMembers(group.group_id, selection, signal),
      unknown: [],
    }))
  const planAdding = (picked: Person[], names: string[]) =>
    plan(async (signal, onProgress) => {
      const { people, missing } = await namedPeople(names, {
        signal,
        onDone: (done) => onProgress({ done, total: names.length }),
      })
      const unknown = missing.map((name) => ({ name, user_id: undefined, result: 'unknown' as const }))
      return { people: eachOnce([...picked, ...people]), unknown }
    })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens.
  useEffect(() => {
    if (kind === 'remove') void planRemoval()
  }, [])
  const checking = t`Preparing the preview`
  switch (step.name) {
    case 'choose':
      return (
        <ChooseMembers
          chosen={chosen}
          onChange={(next) => {
            setChosen(next)
            onLoss(next.picked.length > 0 || next.text !== '' || next.day !== '' ? 'input' : undefined)
          }}
          onClose={onClose}
          onChoose={(picked, names) => void planAdding(picked, names)}
        />
      )
    case 'check':
      return (
        <>
          <p>
            <Trans>Preparing the preview. No changes yet.</Trans>
          </p>
          <Progress label={checking} state={{ ...untouched, ...step.progress }} />
          <DialogFoot>
            <Button variant="default" onClick={onClose} data-autofocus>
              <Trans>Cancel</Trans>
            </Button>
          </DialogFoot>
        </>
      )
    case 'planned':
      return (
        <Planned
          onBack={back}
          group={group}
          kind={kind}
          end={end}
          step={step}
          onClose={onClose}
          onStart={() => void carryOut(step.subjects)}
        />
      )
    case 'run':
      return (
        <>
          <Progress
            label={kind === 'add' ? t`Adding members` : t`Removing members`}
            state={{ ...untouched, ...step.progress }}
          />
          <DialogFoot>
            <Button variant="default" onClick={stop} autoFocus>
              <Trans>Stop</Trans>
            </Button>
          </DialogFoot>
        </>
      )
    case 'over':
      return <Over kind={kind} step={step} onClose={onClose} onAgain={() => void carryOut(step.subjects)} />
    case 'failed':
      return <Failed problem={step.problem} onBack={kind === 'add' ? back : undefined} onClose={onClose} />
  }
}

type FailedProps = { problem: unknown; onBack: (() => void) | undefined; onClose: () => void }

function Failed({ problem, onBack, onClose }: FailedProps) {
  const { t } = useLingui()
  return (
    <>
      <Problem error={problem} title={t`Nothing was changed.`} />
      <DialogFoot>
        {onBack !== undefined && (
          <Button variant="default" onClick={onBack}>
            <Trans>Back</Trans>
          </Button>
        )}
        <Button onClick={onClose} autoFocus>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

type PlannedProps = {
  group: Group
  kind: Kind
  end: End
  step: Extract<Step, { name: 'planned' }>
  onBack: () => void
  onClose: () => void
  onStart: () => void
}

function Planned({ group, kind, end, step: { rows, subjects }, onBack, onClose, onStart }: PlannedProps) {
  const { changed } = countRows(rows)
  return (
    <Focused>
      <p className={styles.note}>
        <Trans>Preview: no changes yet.</Trans>
      </p>
      <MemberRows kind={kind} rows={rows} isPlan />
      {changed > 0 && group.role !== null && <RoleNote kind={kind} role={group.role} />}
      {kind === 'remove' && group.role !== null && <Oneself subjects={subjects} />}
      {changed === 0 && (
        <p className={styles.note}>
          <Trans>There is nothing to change.</Trans>
        </p>
      )}
      <DialogFoot aside={<Call group={group} kind={kind} end={end} subjects={subjects} />}>
        {kind === 'add' ? (
          <Button variant="default" onClick={onBack}>
            <Trans>Back</Trans>
          </Button>
        ) : (
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
        )}
        <Button disabled={changed === 0} onClick={onStart} data-primary>
          <Plan kind={kind} end={end} changed={changed} />
        </Button>
      </DialogFoot>
    </Focused>
  )
}

/** What the button does. With an end date, some of them are members already. */
function Plan({ kind, end, changed }: { kind: Kind; end: End; changed: number }) {
  if (kind === 'remove') return <Plural value={changed} one="Remove # member" other="Remove # members" />
  if (end.expires_at !== undefined) return <Plural value={changed} one="Apply to # user" other="Apply to # users" />
  return <Plural value={changed} one="Add # member" other="Add # members" />
}

/** Warns before a change that may take the viewer's own permissions. */
function Oneself({ subjects: { people } }: { subjects: Subjects }) {
  const me = useMe()
  if (!people.some(({ user_id }) => user_id === me.user_id)) return null
  return (
    <p className={styles.warning}>
      <Trans>This includes you. You may lose access to this page.</Trans>
    </p>
  )
}

type CallProps = { group: Group; kind: Kind; end: End; subjects: Subjects }

function Call({ group: { group_id }, kind, end, subjects: { people } }: CallProps) {
  const body = { [kind]: people.slice(0, changedAtOnce).map(({ user_id }) => user_id), ...end }
  return (
    <ApiCallButton size="xs" calls={[{ operation: 'POST /groups/{group_id}/members', path: { group_id }, body }]} />
  )
}

type OverProps = {
  kind: Kind
  step: Extract<Step, { name: 'over' }>
  onClose: () => void
  onAgain: () => void
}

function Over({ kind, step: { rows, how, problem }, onClose, onAgain }: OverProps) {
  const { t } = useLingui()
  return (
    <Focused>
      {how === 'cut' && (
        <Problem error={problem} title={t`The change was not completed. Changes already made are kept.`} />
      )}
      {how === 'stopped' && (
        <p role="status">
          <Trans>Stopped. Changes already made are kept.</Trans>
        </p>
      )}
      <MemberRows kind={kind} rows={rows} isPlan={false} />
      <DialogFoot>
        {how !== 'done' && (
          <Button variant="default" onClick={onAgain}>
            <Trans>Continue with the rest</Trans>
          </Button>
        )}
        <Button onClick={onClose} data-primary>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </Focused>
  )
}
