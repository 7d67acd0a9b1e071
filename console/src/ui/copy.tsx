import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import styles from './copy.module.css'

/** Copies a text, also on plain http, where pages have no clipboard API. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('readonly', '')
  area.className = styles.offscreen ?? ''
  const host = document.querySelector('[role="dialog"]') ?? document.body
  const before = document.activeElement
  host.append(area)
  area.select()
  // The only way without https.
  const isCopied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isCopied) throw new Error('The browser did not copy the text.')
}

/** A read-only text to copy, such as a command. Announces that it was copied. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.line}>
      <pre className={styles.text}>{text}</pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { t } = useLingui()
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2500)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () =>
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  return (
    <>
      <Button size="xs" variant="default" className={styles.button} onClick={copy} aria-label={t`Copy: ${label}`}>
        {state === 'copied' ? (
          <Trans>Copied</Trans>
        ) : state === 'failed' ? (
          <Trans>Select and copy</Trans>
        ) : (
          <Trans>Copy</Trans>
        )}
      </Button>
      <span className={styles.said} role="status">
        {state === 'copied' && <Trans>Copied to the clipboard</Trans>}
      </span>
    </>
  )
}
