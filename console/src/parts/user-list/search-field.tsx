import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useId, useRef, useState } from 'react'
import { useShortcut } from '../../shortcuts/shortcuts.ts'
import { isFieldAwaited } from '../../shortcuts/typed-ahead.ts'
import { IconClose, IconSearch } from '../../ui/icons.tsx'
import styles from './search-field.module.css'

type Props = {
  q: string | undefined
  onSearch: (q: string | undefined) => void
  /** The arrow down moves into the list. */
  onDown: () => void
  /** The things searched, if not users. */
  label?: string
  placeholder?: string
  /** Whether a short text matches only the beginning of a word. */
  isPrefixed?: boolean
}

const pauseMs = 150
/** Shorter texts are searched as prefixes; see `q` of `GET /users`. */
const shortest = 3

export function SearchField({ q = '', onSearch, onDown, label, placeholder, isPrefixed = true }: Props) {
  const { t } = useLingui()
  const hintId = useId()
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(q)
  const sent = useRef(q)
  /** Searches that have not reached the address yet. */
  const going = useRef<string[]>([])
  const latest = useRef(onSearch)
  latest.current = onSearch

  // Back and links change the address, too. Do not overwrite what is being typed.
  useEffect(() => {
    // An earlier search that arrives late must not replace what was typed since.
    const at = going.current.indexOf(q)
    going.current = going.current.slice(at + 1)
    if (at !== -1 || q === sent.current) return
    going.current = []
    sent.current = q
    setText(q)
  }, [q])
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === sent.current) return
    const timer = setTimeout(() => {
      sent.current = wanted
      going.current.push(wanted)
      latest.current(wanted || undefined)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])

  const goThere = () => {
    input.current?.focus()
    input.current?.select()
  }
  useShortcut('/', t`Search`, goThere, { opensField: true })
  // The key was pressed on another page, which navigated here.
  useEffect(() => {
    if (isFieldAwaited()) input.current?.focus()
  }, [])

  const isShort = isPrefixed && text.trim() !== '' && [...text.trim()].length < shortest
  return (
    <search className={styles.search}>
      <IconSearch />
      <input
        ref={input}
        type="search"
        className={styles.input}
        value={text}
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder ?? t`Search by name, username or email`}
        aria-label={label ?? t`Search users`}
        aria-describedby={isShort ? hintId : undefined}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && !event.nativeEvent.isComposing) onDown()
          else if (event.key !== 'Escape') return
          else if (text !== '') setText('')
          else event.currentTarget.blur()
          event.preventDefault()
        }}
      />
      {text !== '' && (
        <button
          type="button"
          className={styles.clear}
          aria-label={t`Clear the search`}
          onClick={() => {
            setText('')
            input.current?.focus()
          }}
        >
          <IconClose size={16} />
        </button>
      )}
      {isShort && (
        <span id={hintId} className={styles.hint}>
          <Trans>Names and emails that begin with “{text.trim()}”</Trans>
        </span>
      )}
    </search>
  )
}
