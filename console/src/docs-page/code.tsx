/** Code to read and to copy. */
import { type ReactNode, useEffect, useState } from 'react'
import { copyText } from '../ui/copy-text.ts'

/** More than this is not coloured: each word becomes an element, and a megabyte of them stops the tab for seconds. */
const colouredCharacters = 100_000

type Props = { text: string; label: string; isJson?: boolean; className?: string; children?: ReactNode }

export function Code({ text, label, isJson = false, className = '', children }: Props) {
  return (
    <div className="highlight-code">
      <div className="code-actions">
        {children}
        <CopyButton text={text} label={label} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to scroll it. */}
      <pre className={`microlight ${className}`} tabIndex={0}>
        <code>{isJson && text.length <= colouredCharacters ? coloured(text) : text}</code>
      </pre>
    </div>
  )
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/g

function coloured(text: string): ReactNode[] {
  const parts: ReactNode[] = []
  let end = 0
  for (const match of text.matchAll(tokens)) {
    const [whole, string, colon, word] = match
    const kind =
      colon !== undefined ? 'member' : string !== undefined ? 'string' : word !== undefined ? 'word' : 'number'
    parts.push(
      text.slice(end, match.index),
      <span key={match.index} className={`json-${kind}`}>
        {string ?? whole}
      </span>,
      colon,
    )
    end = match.index + whole.length
  }
  parts.push(text.slice(end))
  return parts
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => setSaid(''), 2500)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () =>
    copyText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select and copy'),
    )
  return (
    <>
      <button type="button" className="quiet-button" onClick={copy} aria-label={`Copy: ${label}`}>
        {said || 'Copy'}
      </button>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  )
}
