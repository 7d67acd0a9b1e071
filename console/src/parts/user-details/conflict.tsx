import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Active, Role } from '../../ui/user-state.tsx'
import { differences, merge, type Side } from './changes.ts'
import styles from './conflict.module.css'

type Props<Values> = {
  /** The values the form was filled with. */
  before: Values
  theirs: Values
  mine: Values
  labels: Record<keyof Values & string, string>
  isPending: boolean
  onSave: (merged: Values) => void
  onBack: () => void
}

/** Shows both versions after a conflict, and lets the user choose one for each member. */
export function Conflict<Values extends object>({
  before,
  theirs,
  mine,
  labels,
  isPending,
  onSave,
  onBack,
}: Props<Values>) {
  const { t } = useLingui()
  const id = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const rows = differences(before, theirs, mine)
  const [choices, setChoices] = useState<Partial<Record<keyof Values, Side>>>(
    () => Object.fromEntries(rows.map(({ name, proposal }) => [name, proposal])) as Partial<Record<keyof Values, Side>>,
  )
  const chooseAll = (side: Side) =>
    setChoices(Object.fromEntries(rows.map(({ name }) => [name, side])) as Partial<Record<keyof Values, Side>>)
  return (
    <section className={styles.conflict} aria-labelledby={id}>
      <h3 id={id} ref={heading} tabIndex={-1}>
        <Trans>This user was changed while you were editing</Trans>
      </h3>
      <p>
        <Trans>
          Nothing has been saved yet. Choose which values to keep; values that only one of you changed are already
          chosen.
        </Trans>
      </p>
      <Group gap={8} align="stretch">
        <Button size="xs" variant="default" onClick={() => chooseAll('theirs')}>
          <Trans>All of theirs</Trans>
        </Button>
        <Button size="xs" variant="default" onClick={() => chooseAll('mine')}>
          <Trans>All of mine</Trans>
        </Button>
      </Group>
      <Stack gap="sm">
        {rows.map(({ name, before: was, theirs: their, mine: my, isContested }) => (
          <fieldset key={name} className={styles.row}>
            <legend>
              {name === 'active' ? t`State` : labels[name]}
              {isContested && (
                <Badge kind="warn">
                  <Trans>Changed by both</Trans>
                </Badge>
              )}
            </legend>
            {(
              [
                ['theirs', t`Theirs`, their],
                ['mine', t`Mine`, my],
              ] as const
            ).map(([side, label, value]) => (
              <label key={side} className={styles.side} data-chosen={choices[name] === side}>
                <input
                  type="radio"
                  name={`${id} ${name}`}
                  checked={choices[name] === side}
                  onChange={() => setChoices({ ...choices, [name]: side })}
                />
                <span>
                  <span className={styles.whose}>{label}</span>
                  <Value name={name} value={value} />
                </span>
              </label>
            ))}
            <p className={styles.was}>
              <Trans>Before:</Trans> <Value name={name} value={was} />
            </p>
          </fieldset>
        ))}
      </Stack>
      <Group gap={8} align="stretch" justify="flex-end">
        <Button variant="default" onClick={onBack}>
          <Trans>Back to the form</Trans>
        </Button>
        <Button loading={isPending} onClick={() => onSave(merge(theirs, mine, choices))}>
          <Trans>Save chosen values</Trans>
        </Button>
      </Group>
    </section>
  )
}

/** The value of a member in words. */
export function Value({ name, value }: { name?: string; value: unknown }) {
  if (name === 'active' && typeof value === 'boolean') return <Active active={value} />
  if (name === 'role' && typeof value === 'string') return <Role role={value} />
  if (name === 'kind' && value === 'service') return <Trans>Service account</Trans>
  if (value === true) return <Trans>yes</Trans>
  if (value === false) return <Trans>no</Trans>
  if (value === null || value === undefined || value === '')
    return (
      <i className={styles.nothing}>
        <Trans>nothing</Trans>
      </i>
    )
  return <bdi className={styles.value}>{typeof value === 'object' ? JSON.stringify(value) : String(value)}</bdi>
}
