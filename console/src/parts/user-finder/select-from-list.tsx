/** Selects users by a pasted list: the list, a preview of who was found, and the selection. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/number.ts'
import { Problem } from '../../ui/problem.tsx'
import { Focused, Progress } from '../bulk/bulk-parts.tsx'
import { untouched } from '../bulk/bulk-run.ts'
import styles from './members.module.css'
import { namedPeople } from './named-people.ts'
import { PastedList } from './pasted-list.tsx'
import { mostPasted, namesIn, type Person } from './pasted-names.ts'

type Props = {
  /** Finds members of this group only. */
  group: string | undefined
  isOpen: boolean
  onClose: () => void
  onSelect: (userIds: string[]) => void
}

type Step =
  | { name: 'list' }
  | { name: 'search'; done: number; total: number }
  | { name: 'found'; people: Person[]; missing: string[] }
  | { name: 'failed'; problem: unknown }

export default function SelectFromList({ isOpen, onClose, ...props }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={t`Select from a list`}
      size="lg"
      loses={text === '' ? undefined : 'input'}
    >
      {isOpen && <Steps text={text} onText={setText} onClose={onClose} {...props} />}
    </Dialog>
  )
}

type StepsProps = Omit<Props, 'isOpen'> & { text: string; onText: (text: string) => void }

function Steps({ text, onText, group, onClose, onSelect }: StepsProps) {
  const { t, i18n } = useLingui()
  const [step, setStep] = useState<Step>({ name: 'list' })
  const [fault, setFault] = useState<string>()
  const abort = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const most = formatNumber(mostPasted, i18n.locale)
  const back = () => {
    abort.current?.abort()
    setStep({ name: 'list' })
  }

  async function find(): Promise<void> {
    const names = namesIn(text)
    if (names.length === 0) return setFault(t`Paste at least one name.`)
    if (names.length > mostPasted) return setFault(t`These are more than ${most} names. Select them in parts.`)
    abort.current = new AbortController()
    const { signal } = abort.current
    const total = names.length
    setStep({ name: 'search', done: 0, total })
    try {
      const onDone = (done: number) => !signal.aborted && setStep({ name: 'search', done, total })
      setStep({ name: 'found', ...(await namedPeople(names, { signal, onDone, group })) })
    } catch (problem) {
      if (!signal.aborted) setStep({ name: 'failed', problem })
    }
  }

  switch (step.name) {
    case 'list':
      return (
        <form
          style={{ display: 'contents' }}
          onSubmit={(event) => {
            event.preventDefault()
            void find()
          }}
        >
          <PastedList
            label={t`Users`}
            value={text}
            error={fault}
            isFirst
            onChange={(value) => {
              setFault(undefined)
              onText(value)
            }}
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
    case 'search':
      return (
        <>
          <Progress label={t`Finding the users`} state={{ ...untouched, done: step.done, total: step.total }} />
          <DialogFoot>
            <Button variant="default" onClick={back} autoFocus>
              <Trans>Back</Trans>
            </Button>
          </DialogFoot>
        </>
      )
    case 'found':
      return (
        <Found
          step={step}
          isInGroup={group !== undefined}
          onBack={back}
          onSelect={() => {
            onText('')
            onSelect(step.people.map(({ user_id }) => user_id))
            onClose()
          }}
        />
      )
    case 'failed':
      return (
        <>
          <Problem error={step.problem} retry={() => void find()} title={t`Could not load the users.`} />
          <DialogFoot>
            <Button variant="default" onClick={back} autoFocus>
              <Trans>Back</Trans>
            </Button>
          </DialogFoot>
        </>
      )
  }
}

type FoundProps = {
  step: Extract<Step, { name: 'found' }>
  isInGroup: boolean
  onBack: () => void
  onSelect: () => void
}

function Found({ step: { people, missing }, isInGroup, onBack, onSelect }: FoundProps) {
  const { t } = useLingui()
  return (
    <Focused>
      <p role="status">
        <Plural value={people.length} one="# user found" other="# users found" />
      </p>
      {people.length > 0 && <Names label={t`Users found`} names={people.map(({ username }) => username)} />}
      {missing.length > 0 && (
        <>
          <p className={styles.warning}>
            {isInGroup ? (
              <Plural
                value={missing.length}
                one="# name belongs to no member of this group:"
                other="# names belong to no member of this group:"
              />
            ) : (
              <Plural value={missing.length} one="# name belongs to no user:" other="# names belong to no user:" />
            )}
          </p>
          <Names label={t`Names without a user`} names={missing} />
        </>
      )}
      <DialogFoot>
        <Button variant="default" onClick={onBack}>
          <Trans>Back</Trans>
        </Button>
        <Button disabled={people.length === 0} onClick={onSelect} data-primary>
          <Plural value={people.length} one="Select # user" other="Select # users" />
        </Button>
      </DialogFoot>
    </Focused>
  )
}

function Names({ label, names }: { label: string; names: readonly string[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too.
    <ul className={styles.rows} tabIndex={0} aria-label={label}>
      {names.map((name) => (
        <li key={name}>
          <bdi>{name}</bdi>
        </li>
      ))}
    </ul>
  )
}
