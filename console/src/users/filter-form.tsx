import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { dayOfFrom, dayOfUntil, fromDay, untilDay } from '../ui/days.ts'
import { rolesQuery } from '../user/queries.ts'
import { type Filters, filterNames } from '../user-search/search-params.ts'
import styles from './filter-form.module.css'

export type FilterChange = { [Name in keyof Filters]: Filters[Name] | undefined }

type Props = { filters: Filters; onApply: (change: FilterChange) => void }

const flags = { '': undefined, true: true, false: false } as const

export function FilterForm({ filters, onApply }: Props) {
  const { t } = useLingui()
  const { data: roles = [] } = useQuery(rolesQuery)
  const { role, active, locked, has_password, has_signed_in } = filters
  const { created_after, created_before, last_login_after, last_login_before } = filters
  const [signedIn, setSignedIn] = useState(String(has_signed_in ?? ''))
  const hasNever = signedIn === 'false'
  const isUnknownRole = role !== undefined && !roles.some((one) => one.role === role)

  function apply(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const text = (name: string) => String(data.get(name) ?? '')
    const flag = (name: string) => flags[text(name) as keyof typeof flags]
    // An instant within a day, as in a link, is kept until its day is changed.
    const from = (name: string, before: string | undefined) =>
      text(name) === dayIn(before, dayOfFrom) ? before : fromDay(text(name))
    const until = (name: string, before: string | undefined) =>
      text(name) === dayIn(before, dayOfUntil) ? before : untilDay(text(name))
    onApply({
      role: text('role') || undefined,
      active: flag('active'),
      locked: text('active') === 'locked' || undefined,
      has_password: flag('has_password'),
      has_signed_in: flag('has_signed_in'),
      created_after: from('created_after', created_after),
      created_before: until('created_before', created_before),
      last_login_after: hasNever ? undefined : from('last_login_after', last_login_after),
      last_login_before: hasNever ? undefined : until('last_login_before', last_login_before),
    })
  }

  return (
    <form className={styles.form} onSubmit={apply}>
      {/* Remounted when its options have loaded, so that the chosen one is among them. */}
      <Choice key={roles.length} name="role" label={t`Role`} value={role ?? ''}>
        <option value="">{t`Any`}</option>
        {isUnknownRole && <option value={role}>{role}</option>}
        {roles.map((one) => (
          <option key={one.role} value={one.role}>
            {one.role}
          </option>
        ))}
      </Choice>
      <Choice name="active" label={t`State`} value={locked ? 'locked' : String(active ?? '')}>
        <option value="">{t`Any`}</option>
        <option value="true">{t`Active`}</option>
        <option value="false">{t`Disabled`}</option>
        <option value="locked">{t`Locked`}</option>
      </Choice>
      <Choice name="has_password" label={t`Password`} value={String(has_password ?? '')}>
        <option value="">{t`Any`}</option>
        <option value="true">{t`Has one`}</option>
        <option value="false">{t`Has none`}</option>
      </Choice>
      <fieldset>
        <legend>
          <Trans>Created</Trans>
        </legend>
        <Day name="created_after" label={t`From`} day={dayIn(created_after, dayOfFrom)} />
        <Day name="created_before" label={t`Until`} day={dayIn(created_before, dayOfUntil)} />
      </fieldset>
      <fieldset>
        <legend>
          <Trans>Last sign-in</Trans>
        </legend>
        <select
          name="has_signed_in"
          aria-label={t`Last sign-in`}
          value={signedIn}
          onChange={(event) => setSignedIn(event.currentTarget.value)}
        >
          <option value="">{t`Any`}</option>
          <option value="true">{t`At least once`}</option>
          <option value="false">{t`Never`}</option>
        </select>
        <Day name="last_login_after" label={t`From`} day={dayIn(last_login_after, dayOfFrom)} isOff={hasNever} />
        <Day name="last_login_before" label={t`Until`} day={dayIn(last_login_before, dayOfUntil)} isOff={hasNever} />
      </fieldset>
      <div className={styles.buttons}>
        <Button
          variant="subtle"
          color="gray"
          onClick={() => onApply(Object.fromEntries(filterNames.map((name) => [name, undefined])) as FilterChange)}
        >
          <Trans>Clear all</Trans>
        </Button>
        <Button type="submit">
          <Trans>Apply</Trans>
        </Button>
      </div>
    </form>
  )
}

function dayIn(iso: string | undefined, dayOf: (iso: string) => string | undefined): string {
  return iso === undefined ? '' : (dayOf(iso) ?? '')
}

function Choice({ name, label, value, children }: { name: string; label: string; value: string; children: ReactNode }) {
  const id = useId()
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <select id={id} name={name} defaultValue={value}>
        {children}
      </select>
    </div>
  )
}

function Day({ name, label, day, isOff = false }: { name: string; label: string; day: string; isOff?: boolean }) {
  return (
    <label>
      {label}
      <input type="date" name={name} defaultValue={day} disabled={isOff} />
    </label>
  )
}
