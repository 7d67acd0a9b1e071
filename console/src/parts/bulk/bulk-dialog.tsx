/** One change for many users: a preview first, then the change, then its result. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { BulkChange, Group } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ChooseAttribute, ChooseEndDate, ChooseLanguage, ChooseOrganization } from './bulk-choices.tsx'
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

function Steps({ action, selection, total, groupId: givenGroupId, note, words, onBusy, ...props }: StepsProps) {
  const { onLinks, onClose, onDone } = props
  const [details, setDetails] = useState<Details>(givenGroupId === undefined ? {} : { group_id: givenGroupId })
  const [override, setOverride] = useState(false)
  const missing = givenGroupId === undefined ? choices[action] : undefined
  const first = missing === undefined ? planning(total) : ({ name: missing } as const)
  const { step, plan, carryOut, stop, back } = useBulkChange(first, { total, onBusy, onDone })
  const changeTo = (chosen: Details): BulkChange => ({ action, ...selection, ...chosen })
  const change = changeTo(details)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it opens.
  useEffect(() => {
    if (missing === undefined) void plan(change)
  }, [])
  function choose(chosen: Details): void {
    setDetails(chosen)
    setOverride(false)
    void plan(changeTo(chosen))
  }
  const hasLinks = step.name === 'over' && step.result.linksToCsv !== undefined
  useEffect(() => {
    onLinks(hasLinks)
    return () => onLinks(false)
  }, [hasLinks, onLinks])
  switch (step.name) {
    case 'role':
      return <ChooseRole initial={details.role ?? 'user'} onClose={onClose} onChoose={(role) => choose({ role })} />
    case 'group':
      return <ChooseGroup onClose={onClose} onChoose={(group_id) => choose({ group_id })} />
    case 'attribute':
      return (
        <ChooseAttribute
          initial={details.attributes}
          onClose={onClose}
          onChoose={(attributes) => choose({ attributes })}
        />
      )
    case 'language':
      return <ChooseLanguage onClose={onClose} onChoose={(locale) => choose({ locale })} />
    case 'end_date':
      return <ChooseEndDate onClose={onClose} onChoose={(expires_at) => choose({ expires_at })} />
    case 'organization':
      return <ChooseOrganization onClose={onClose} onChoose={(organization_id) => choose({ organization_id })} />
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
          groupId={details.group_id}
          override={override}
          words={words}
          onClose={onClose}
          onAgain={() => void carryOut(change, { override })}
        />
      )
    case 'failed':
      return (
        <Failed
          problem={step.problem}
          call={<Call change={change} isDryRun />}
          onRetry={() => void plan(change, { override })}
          onBack={missing === undefined ? undefined : back}
          onClose={onClose}
        />
      )
  }
}

type FailedProps = {
  problem: unknown
  call: ReactNode
  onRetry: () => void
  /** Left out if there was nothing to choose. */
  onBack: (() => void) | undefined
  onClose: () => void
}

function Failed({ problem, call, onRetry, onBack, onClose }: FailedProps) {
  return (
    <>
      <Problem error={problem} retry={onRetry} />
      <DialogFoot aside={call}>
        {onBack !== undefined && (
          <Button variant="default" onClick={onBack}>
            <Trans>Back</Trans>
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

/** What the user chooses before the preview. */
type Details = Pick<BulkChange, 'role' | 'group_id' | 'attributes' | 'locale' | 'expires_at' | 'organization_id'>

const choices: Partial<Record<BulkAction, 'role' | 'group' | 'attribute' | 'language' | 'end_date' | 'organization'>> =
  {
    set_role: 'role',
    add_to_group: 'group',
    remove_from_group: 'group',
    set_attribute: 'attribute',
    set_locale: 'language',
    set_expires_at: 'end_date',
    set_organization: 'organization',
  }

function planning(total: number | undefined) {
  return { name: 'plan', state: { ...untouched, total } } as const
}

type CallProps = { change: BulkChange; isDryRun?: boolean; override?: boolean }

function Call({ change, isDryRun = false, override = false }: CallProps) {
  const query = isDryRun ? { query: { dry_run: true, rows: 'refused' } } : override ? { query: { override } } : {}
  return <ApiCallButton calls={[{ operation: 'POST /users/bulk', ...query, body: change }]} />
}
