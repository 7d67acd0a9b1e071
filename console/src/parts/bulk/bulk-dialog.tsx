/** One change for many users: a preview first, then the change, then its result. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { BulkChange, Group } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ChooseGroup, ChooseRole, Plan, Planning } from './bulk-plan.tsx'
import { Result } from './bulk-result.tsx'
import { untouched } from './bulk-run.ts'
import { Running } from './bulk-running.tsx'
import { type BulkWords, useBulkWords } from './bulk-words.tsx'
import type { BulkAction, Selection } from './selection.ts'
import { useBulkChange } from './use-bulk-change.ts'

type Props = {
  action: BulkAction
  selection: Selection
  /** The group that users leave, if the page has decided it. */
  group?: Pick<Group, 'group_id' | 'name'>
  /** What the change means, below the preview. */
  note?: ReactNode
  /** How many users are selected, as far as is known. */
  total: number | undefined
  isOpen: boolean
  onClose: () => void
  /** Some users were changed. */
  onDone: () => void
}

export default function BulkDialog({ isOpen, onClose, action, group, ...props }: Props) {
  const { t } = useLingui()
  const [isBusy, setIsBusy] = useState(false)
  const [hasLinks, setHasLinks] = useState(false)
  const words = useBulkWords(action)
  const name = group?.name
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={name === undefined ? words.title : t`Remove members from ${name}`}
      size="lg"
      loses={isBusy ? 'work' : hasLinks ? 'secret' : undefined}
    >
      {isOpen && (
        <Steps
          key={action}
          action={action}
          groupId={group?.group_id}
          words={words}
          onBusy={setIsBusy}
          onLinks={setHasLinks}
          onClose={onClose}
          {...props}
        />
      )}
    </Dialog>
  )
}

type StepsProps = Omit<Props, 'isOpen' | 'group'> & {
  groupId: string | undefined
  words: BulkWords
  onBusy: (isBusy: boolean) => void
  onLinks: (hasLinks: boolean) => void
}

function Steps({
  action,
  selection,
  total,
  groupId: givenGroupId,
  note,
  words,
  onBusy,
  onLinks,
  onClose,
  onDone,
}: StepsProps) {
  const [role, setRole] = useState('user')
  const [groupId, setGroupId] = useState(givenGroupId ?? '')
  const [override, setOverride] = useState(false)
  const isMembership = action === 'add_to_group' || action === 'remove_from_group'
  const missing = action === 'set_role' ? 'role' : isMembership && givenGroupId === undefined ? 'group' : undefined
  const first = missing === undefined ? planning(total) : ({ name: missing } as const)
  const { step, plan, carryOut, stop } = useBulkChange(first, { total, onBusy, onDone })
  const changeTo = (role: string, group_id: string): BulkChange => ({
    action,
    ...selection,
    ...(action === 'set_role' && { role }),
    ...(isMembership && { group_id }),
  })
  const change = changeTo(role, groupId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens.
  useEffect(() => {
    if (missing === undefined) void plan(change)
  }, [])
  const hasLinks = step.name === 'over' && step.result.linksToCsv !== undefined
  useEffect(() => {
    onLinks(hasLinks)
    return () => onLinks(false)
  }, [hasLinks, onLinks])
  switch (step.name) {
    case 'role':
      return (
        <ChooseRole
          initial={role}
          onClose={onClose}
          onChoose={(chosen) => {
            setRole(chosen)
            void plan(changeTo(chosen, groupId))
          }}
        />
      )
    case 'group':
      return (
        <ChooseGroup
          onClose={onClose}
          onChoose={(chosen) => {
            setGroupId(chosen)
            void plan(changeTo(role, chosen))
          }}
        />
      )
    case 'plan':
      return <Planning state={step.state} onClose={onClose} />
    case 'planned':
      return (
        <Plan
          plan={step.plan}
          action={action}
          selection={selection}
          words={words}
          note={note}
          call={<Call change={change} override={step.override} />}
          onClose={onClose}
          onStart={() => void carryOut(change, { override })}
          onOverride={
            step.override
              ? undefined
              : () => {
                  setOverride(true)
                  void plan(change, { override: true })
                }
          }
        />
      )
    case 'run':
      return <Running state={step.state} words={words} onStop={stop} />
    case 'over':
      return (
        <Result
          step={step}
          action={action}
          groupId={isMembership ? groupId : undefined}
          override={override}
          words={words}
          onClose={onClose}
          onAgain={() => void carryOut(change, { override })}
        />
      )
    case 'failed':
      return (
        <>
          <Problem error={step.problem} retry={() => void plan(change, { override })} />
          <DialogFoot aside={<Call change={change} isDryRun />}>
            <Button variant="default" onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
          </DialogFoot>
        </>
      )
  }
}

function planning(total: number | undefined) {
  return { name: 'plan', state: { ...untouched, total } } as const
}

type CallProps = { change: BulkChange; isDryRun?: boolean; override?: boolean }

function Call({ change, isDryRun = false, override = false }: CallProps) {
  const query = isDryRun ? { query: { dry_run: true, rows: 'refused' } } : override ? { query: { override } } : {}
  return <ApiCallButton calls={[{ operation: 'POST /users/bulk', ...query, body: change }]} />
}
