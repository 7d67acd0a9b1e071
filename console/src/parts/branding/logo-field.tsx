import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Input } from '@mantine/core'
import { useId, useState } from 'react'
import styles from './branding.module.css'

type Props = {
  label: string
  description: string
  /** A data URL, or empty. */
  value: string
  onChange: (dataUrl: string) => void
  error: string | undefined
  onFault: (fault: string) => void
  /** The names of what would not be stored. */
  leftOut: readonly string[]
  isDark?: boolean
  /** Used while it is empty. */
  inherited?: string | null | undefined
}

/** As many as the service takes. */
const mostBytes = 65_536

/** One picture, dropped or chosen. The service cleans it; the browser shows it as a picture, in which nothing runs. */
export function LogoField({
  label,
  description,
  value,
  onChange,
  error,
  onFault,
  leftOut,
  isDark = false,
  inherited,
}: Props) {
  const { t, i18n } = useLingui()
  const id = useId()
  const [isOver, setIsOver] = useState(false)
  async function read(file: File | undefined) {
    if (file === undefined) return
    const isPng = file.type === 'image/png'
    if (!isPng && file.type !== 'image/svg+xml') return onFault(t`Choose an SVG or a PNG file.`)
    if (file.size > mostBytes) return onFault(t`The file is larger than 64 KiB.`)
    onChange(`data:${file.type};base64,${toBase64(new Uint8Array(await file.arrayBuffer()))}`)
  }
  const names = new Intl.ListFormat(i18n.locale).format(leftOut)
  return (
    <Input.Wrapper label={label} description={description} error={error} id={id} labelElement="label">
      <div className={styles.logo}>
        <div className={styles.drop} data-over={isOver} data-dark={isDark}>
          {(value !== '' || inherited) && <img src={value || (inherited ?? '')} alt="" data-inherited={value === ''} />}
          {value === '' && (
            <span>
              {inherited ? (
                <Trans>The product’s. Drop a file here, or choose one</Trans>
              ) : (
                <Trans>Drop a file here, or choose one</Trans>
              )}
            </span>
          )}
          <input
            id={id}
            type="file"
            accept=".svg,.png,image/svg+xml,image/png"
            aria-invalid={error !== undefined || undefined}
            aria-describedby={error === undefined ? `${id}-description` : `${id}-error`}
            onDragEnter={() => setIsOver(true)}
            onDragLeave={() => setIsOver(false)}
            onDrop={() => setIsOver(false)}
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? []
              // So that the same file can be chosen again.
              event.currentTarget.value = ''
              void read(file)
            }}
          />
        </div>
        {value !== '' && (
          <Button size="xs" variant="default" onClick={() => onChange('')} aria-label={t`Remove: ${label}`}>
            <Trans>Remove</Trans>
          </Button>
        )}
      </div>
      {leftOut.length > 0 && (
        <p className={styles.note} role="status">
          <Trans>
            Left out: <bdi>{names}</bdi>. If the preview looks incomplete, convert texts to paths in your drawing
            program.
          </Trans>
        </p>
      )}
    </Input.Wrapper>
  )
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
