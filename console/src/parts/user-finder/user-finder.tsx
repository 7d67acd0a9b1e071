/** Finds users by name and picks them. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { nameOf } from '../../data/users.ts'
import { IconClose, IconSearch } from '../../ui/icons.tsx'
import { Problem } from '../../ui/problem.tsx'
import styles from './members.module.css'
import { namedPeople } from './named-people.ts'
import { NearMisses } from './near-misses.tsx'
import { eachOnce, listIn, type Person } from './pasted-names.ts'

type Props = {
  picked: readonly Person[]
  onPick: (picked: Person[]) => void
  /** Whether it has the keyboard when its dialog opens. */
  isFirst?: boolean
}

const pauseMs = 150
const mostFound = 8

export function UserFinder({ picked, onPick, isFirst = true }: Props) {
  const { t, i18n } = useLingui()
  const [text, setText] = useState('')
  const [q] = useDebouncedValue(text.trim(), pauseMs)
  const { data, error, refetch } = useQuery({
    queryKey: ['users', 'to-pick', q],
    queryFn: async ({ signal }) => (await api.users.page({ q, limit: mostFound }, { signal })).users,
    enabled: q !== '',
    placeholderData: keepPreviousData,
  })
  const found = q === '' ? undefined : data
  const [missing, setMissing] = useState<readonly string[]>([])
  const pasted = useMutation({
    mutationFn: (names: readonly string[]) => namedPeople(names, { signal: new AbortController().signal }),
    onSuccess(result) {
      setMissing(result.missing)
      onPick(eachOnce([...picked, ...result.people]))
    },
  })
  const missingNames = new Intl.ListFormat(i18n.locale).format(missing)
  const drop = (userId: string) => onPick(picked.filter(({ user_id }) => user_id !== userId))
  const toggle = ({ user_id, username }: User, isPicked: boolean) =>
    isPicked ? onPick([...picked.filter((one) => one.user_id !== user_id), { user_id, username }]) : drop(user_id)
  return (
    <Stack gap="xs">
      <TextInput
        type="search"
        label={t`Find users`}
        placeholder={t`Search by name, username or email`}
        leftSection={<IconSearch />}
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        data-autofocus={isFirst || undefined}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        onPaste={(event) => {
          const names = listIn(event.clipboardData.getData('text'))
          if (names === undefined) return
          event.preventDefault()
          pasted.mutate(names)
        }}
        // Enter would open the preview while the user is still searching.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      {error !== null && q !== '' && (
        <Problem error={error} retry={() => void refetch()} title={t`Could not load the users.`} />
      )}
      {pasted.error !== null && <Problem error={pasted.error} title={t`Could not load the users.`} />}
      {missing.length > 0 && (
        <p className={styles.warning} role="status">
          <Plural value={missing.length} one="# name belongs to no user:" other="# names belong to no user:" />{' '}
          <bdi>{missingNames}</bdi>
        </p>
      )}
      <p className="visually-hidden" role="status">
        {found !== undefined && <Plural value={found.length} one="# user found" other="# users found" />}
      </p>
      {found?.length === 0 && (
        <>
          <p className={styles.note}>
            <Trans>No users found</Trans>
          </p>
          <NearMisses q={q} onPick={(user) => toggle(user, true)} />
        </>
      )}
      {found !== undefined && found.length > 0 && (
        <fieldset className={styles.found}>
          <legend className="visually-hidden">
            <Trans>Users found</Trans>
          </legend>
          {found.map((user) => (
            <Checkbox
              key={user.user_id}
              checked={picked.some(({ user_id }) => user_id === user.user_id)}
              onChange={({ currentTarget: { checked } }) => toggle(user, checked)}
              label={<Found user={user} />}
            />
          ))}
        </fieldset>
      )}
      {picked.length > 0 && (
        <ul className={styles.picked} aria-label={t`Chosen users`}>
          {picked.map(({ user_id, username }) => (
            <li key={user_id}>
              <bdi>{username}</bdi>
              <button type="button" aria-label={t`Leave out ${username}`} onClick={() => drop(user_id)}>
                <IconClose size={14} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Stack>
  )
}

function Found({ user }: { user: User }) {
  const name = nameOf(user)
  const others = [name === '' ? '' : user.username, user.email ?? ''].filter((text) => text !== '')
  return (
    <>
      <bdi>{name || user.username}</bdi>
      {others.map((text) => (
        <bdi key={text} className={styles.beside}>
          {text}
        </bdi>
      ))}
    </>
  )
}
