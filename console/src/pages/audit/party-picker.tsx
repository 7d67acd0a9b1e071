/** Picks a user or an API key by name: a combobox, as in WAI-ARIA. An ID can be pasted, also of what is gone. */
import { useLingui } from '@lingui/react/macro'
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { api } from '../../api/client.ts'
import { useCan } from '../../api/me.ts'
import styles from './filters.module.css'

type Party = { id: string; name: string; note: string }

const pauseMs = 150
const most = 6
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function PartyPicker({ label, onPick }: { label: string; onPick: (id: string) => void }) {
  const { t } = useLingui()
  const id = useId()
  const [text, setText] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const [activeId, setActiveId] = useState<string>()
  const parties = useParties(text.trim(), isOpen)
  const active = parties.find((party) => party.id === activeId) ?? parties[0]
  const isShown = isOpen && parties.length > 0

  function pick(party: Party) {
    setText('')
    setIsOpen(false)
    onPick(party.id)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing || active === undefined || !isShown) return
    const at = parties.indexOf(active)
    if (event.key === 'ArrowDown') setActiveId(parties[(at + 1) % parties.length]?.id)
    else if (event.key === 'ArrowUp') setActiveId(parties[(at + parties.length - 1) % parties.length]?.id)
    else if (event.key === 'Enter') pick(active)
    else if (event.key === 'Escape') setIsOpen(false)
    else return
    event.preventDefault()
  }
  return (
    <div className={styles.picker}>
      <TextInput
        label={label}
        placeholder={t`User or API key`}
        role="combobox"
        aria-expanded={isShown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isShown && active ? `${id}-${active.id}` : undefined}
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setIsOpen(true)
          setActiveId(undefined)
        }}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={id} role="listbox" aria-label={label} hidden={!isShown} className={styles.parties}>
        {parties.map((party) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus, and names the active option.
          <div
            key={party.id}
            id={`${id}-${party.id}`}
            role="option"
            aria-selected={party === active}
            // The field keeps the focus until the click.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(party)}
          >
            <bdi>{party.name}</bdi> <span>{party.note}</span>
          </div>
        ))}
      </div>
    </div>
  )
}

/** Never the results of an earlier text: Enter would select the wrong one. */
function useParties(q: string, isOpen: boolean): Party[] {
  const { t } = useLingui()
  const mayReadUsers = useCan('users:read')
  const mayReadKeys = useCan('keys:read')
  const [query, setQuery] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQuery(q), pauseMs)
    return () => clearTimeout(timer)
  }, [q])
  const { data: users } = useQuery({
    queryKey: ['users', 'picker', query],
    queryFn: ({ signal }) => api.users.page({ q: query, limit: most }, { signal }),
    enabled: mayReadUsers && query !== '',
    retry: false,
  })
  const { data: keys = [] } = useQuery({
    queryKey: ['keys', 'picker'],
    queryFn: ({ signal }) => api.keys.list({ signal }),
    enabled: mayReadKeys && isOpen,
    staleTime: 60_000,
    retry: false,
  })
  if (q === '') return []
  if (uuid.test(q)) return [{ id: q.toLowerCase(), name: q.toLowerCase(), note: t`ID` }]
  const found = query === q ? (users?.users ?? []) : []
  return [
    ...keys
      .filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))
      .slice(0, most)
      .map(({ key_id, name }) => ({ id: key_id, name, note: t`API key` })),
    ...found.map(({ user_id, username, first_name, last_name }) => {
      const name = `${first_name} ${last_name}`.trim()
      return { id: user_id, name: name || username, note: name === '' ? '' : username }
    }),
  ]
}
