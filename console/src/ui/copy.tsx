import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import styles from './copy.module.css'
import { copyText } from './copy-text.ts'

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
