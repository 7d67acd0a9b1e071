/** The changes in a form, and how they merge with changes made elsewhere. */
import type { User } from 'rollbook/client'
import { textMembers } from '../../api/text-members.ts'

type TextMember = (typeof textMembers)[number]

export type Details = Pick<User, TextMember | 'username' | 'role' | 'active'> & {
  /** Empty if there is none. */
  email: string
  external_id: string
  /** Empty: the configured one. */
  locale: string
}

type Clearable = 'email' | 'external_id' | 'locale'

export function detailsOf(user: Omit<Details, Clearable> & Pick<User, Clearable>): Details {
  const { username, role, active } = user
  const texts = Object.fromEntries(textMembers.map((name) => [name, user[name]])) as Pick<Details, TextMember>
  const { email, external_id, locale } = user
  const optional = { email: email ?? '', external_id: external_id ?? '', locale: locale ?? '' }
  return { username, ...texts, role, active, ...optional }
}

/** Returns the patch that leads from one to the other, as the API takes it. */
export function patchBetween<Values extends object>(before: Values, after: Values): Partial<Values> {
  const entries = Object.entries(after).filter(([name, value]) => value !== before[name as keyof Values])
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value === '' && isClearable(name) ? null : value]),
  ) as Partial<Values>
}

/** Returns the saved values with what was typed while they were being sent. */
export function typedSince<Values extends object>(sent: Values, now: Values, saved: Values): Values {
  const typed = Object.entries(now).filter(([name, value]) => value !== sent[name as keyof Values])
  return { ...saved, ...Object.fromEntries(typed) }
}

function isClearable(name: string): boolean {
  return name === 'email' || name === 'external_id' || name === 'locale'
}

export type Side = 'mine' | 'theirs'
type Difference<Name> = {
  name: Name
  before: unknown
  theirs: unknown
  mine: unknown
  /** Both sides changed it, so the user has to decide. */
  isContested: boolean
  /** The default: the side that changed it. */
  proposal: Side
}

export function differences<Values extends object>(before: Values, theirs: Values, mine: Values) {
  const names = Object.keys(mine) as (keyof Values & string)[]
  return names
    .filter((name) => theirs[name] !== mine[name])
    .map((name): Difference<keyof Values & string> => {
      const isMine = mine[name] !== before[name]
      return {
        name,
        before: before[name],
        theirs: theirs[name],
        mine: mine[name],
        isContested: isMine && theirs[name] !== before[name],
        proposal: isMine ? 'mine' : 'theirs',
      }
    })
}

export function merge<Values extends object>(
  theirs: Values,
  mine: Values,
  choices: Partial<Record<keyof Values, Side>>,
): Values {
  const ownChanges = (Object.keys(mine) as (keyof Values)[]).filter((name) => choices[name] === 'mine')
  return { ...theirs, ...Object.fromEntries(ownChanges.map((name) => [name, mine[name]])) }
}
