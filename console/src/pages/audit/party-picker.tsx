/** Picks a user, an API key or a kind of actor by name. An ID can be pasted, also of what is gone. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import type { AuditSearch } from '../../data/search/audit.ts'
import { nameOf } from '../../data/users.ts'
import { containsWords } from '../../lib/matches.ts'
import { NearMisses } from '../../parts/user-finder/near-misses.tsx'
import { type Choice, Combobox } from '../../ui/combobox.tsx'

export type ActorKind = NonNullable<AuditSearch['actor_kind']>

type Props = {
  label: string
  /** Kinds that can be picked in place of one actor, with their names. */
  kinds?: readonly { kind: ActorKind; name: string }[]
  onPick: (picked: { id: string } | { kind: ActorKind }) => void
}

type Party = Choice & { kind?: ActorKind }

const pauseMs = 150
const most = 6
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function PartyPicker({ label, kinds = [], onPick }: Props) {
  const { t } = useLingui()
  const [text, setText] = useState('')
  const q = text.trim()
  const { parties, isOver } = useParties(q)
  const kindChoices = kinds
    .filter(({ name }) => containsWords(q, name))
    .map(({ kind, name }): Party => ({ id: `kind-${kind}`, name, kind }))
  const pick = (picked: Parameters<typeof onPick>[0]) => {
    setText('')
    onPick(picked)
  }
  return (
    <Combobox
      label={label}
      placeholder={t`User or API key`}
      opensEmpty={kinds.length > 0}
      text={text}
      onText={setText}
      choices={[...kindChoices, ...parties]}
      onPick={({ id, kind }) => pick(kind === undefined ? { id } : { kind })}
      none={
        isOver && (
          <>
            <p role="status">
              <Trans>No users found</Trans>
            </p>
            <NearMisses q={q} onPick={({ user_id }) => pick({ id: user_id })} />
          </>
        )
      }
    />
  )
}

/** Never the results of an earlier text: Enter would select the wrong one. */
function useParties(q: string): { parties: Party[]; isOver: boolean } {
  const { t } = useLingui()
  const mayReadUsers = useCan('users:read')
  const mayReadKeys = useCan('keys:read')
  const [query] = useDebouncedValue(q, pauseMs)
  const { data: users } = useQuery({
    queryKey: ['users', 'picker', query],
    queryFn: ({ signal }) => api.users.page({ q: query, limit: most }, { signal }),
    enabled: mayReadUsers && query !== '',
    retry: false,
  })
  const { data: keys = [] } = useQuery({
    queryKey: ['keys', 'picker'],
    queryFn: ({ signal }) => api.keys.list({ signal }),
    enabled: mayReadKeys && q !== '',
    staleTime: 60_000,
    retry: false,
  })
  if (q === '') return { parties: [], isOver: false }
  if (uuid.test(q)) {
    const id = q.toLowerCase()
    return { parties: [{ id, name: id, note: t`ID` }], isOver: false }
  }
  const found = query === q ? users?.users : undefined
  const namedKeys = keys
    .filter(({ name }) => containsWords(q, name))
    .slice(0, most)
    .map(({ key_id, name }): Party => ({ id: key_id, name, note: t`API key` }))
  return { parties: [...namedKeys, ...(found ?? []).map(partyOf)], isOver: found !== undefined }
}

function partyOf(user: User): Party {
  const name = nameOf(user)
  const others = [name === '' ? '' : user.username, user.email === user.username ? '' : (user.email ?? '')]
  return { id: user.user_id, name: name || user.username, note: others.filter(Boolean).join(' · ') || undefined }
}
