import { Trans, useLingui } from '@lingui/react/macro'
import { Button } from '@mantine/core'
import type { BrandingPreview } from 'rollbook/client'
import styles from './branding.module.css'

type Props = { preview: BrandingPreview; accent: string; onUse: (accent: string) => void }

/** How readable the colour is, and the nearest one that can be read. */
export function ContrastNote({ preview: { contrast, branding }, accent, onUse }: Props) {
  const { i18n } = useLingui()
  const readable = branding.accent_color
  if (contrast === null || readable === null) return null
  const ratio = new Intl.NumberFormat(i18n.locale, { maximumFractionDigits: 2 }).format(contrast)
  if (readable === accent.toLowerCase())
    return (
      <p className={styles.note} role="status">
        <Trans>Its contrast with the page is {ratio}:1.</Trans>
      </p>
    )
  return (
    <div className={styles.warning} role="status">
      <p>
        <Trans>
          Its contrast with the page is {ratio}:1, which is hard to read; 4.5:1 is needed. The preview shows the nearest
          colour that has enough:{' '}
          <bdi dir="ltr">
            <code>{readable}</code>
          </bdi>
        </Trans>
      </p>
      <Button size="xs" variant="default" onClick={() => onUse(readable)}>
        <Trans>Use this colour</Trans>
      </Button>
    </div>
  )
}
