import { Trans, useLingui } from '@lingui/react/macro'
import { SegmentedControl, Skeleton } from '@mantine/core'
import { useState } from 'react'
import type { BrandingPreview } from 'rollbook/client'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { framedMessage, framedPage, styleNonce } from '../frames/framed.ts'
import styles from './branding.module.css'

type View = 'light' | 'dark' | 'phone' | 'message'
type Props = { preview: BrandingPreview | undefined; error: unknown; retry: () => void }

/** The page and a message as the service makes them, with what is in the form. */
export function Preview({ preview, error, retry }: Props) {
  const { t } = useLingui()
  const [view, setView] = useState<View>('light')
  const choices: { value: View; label: string }[] = [
    { value: 'light', label: t`Light` },
    { value: 'dark', label: t`Dark` },
    { value: 'phone', label: t`Phone` },
    { value: 'message', label: t`Message` },
  ]
  return (
    <Section
      title={t`Preview`}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={t`View`}
          value={view}
          data={choices}
          onChange={(value) => setView(choices.find((one) => one.value === value)?.value ?? view)}
        />
      }
    >
      {error !== null && <Problem error={error} retry={retry} title={t`The preview could not be made.`} />}
      {preview === undefined ? error === null && <Skeleton height={520} /> : <Frame preview={preview} view={view} />}
      <p className={styles.note}>
        <Trans>
          This is how the service draws it, with what is in the form. Its buttons and links do nothing here.
        </Trans>
      </p>
    </Section>
  )
}

function Frame({ preview: { page, html, subject }, view }: { preview: BrandingPreview; view: View }) {
  const { t } = useLingui()
  if (view === 'message')
    return (
      <>
        <p className={styles.note}>
          <Trans>Subject</Trans>: <strong dir="auto">{subject}</strong>
        </p>
        <iframe
          key={html}
          title={t`The message`}
          className={styles.frame}
          data-view="message"
          sandbox=""
          srcDoc={framedMessage(html, styleNonce())}
        />
      </>
    )
  // The page's files come from here, which a frame of another origin could not have. Nothing runs in it.
  return (
    <iframe
      key={page}
      title={t`The sign-in page`}
      className={styles.frame}
      data-view={view}
      sandbox="allow-same-origin"
      srcDoc={framedPage(page, styleNonce())}
    />
  )
}
