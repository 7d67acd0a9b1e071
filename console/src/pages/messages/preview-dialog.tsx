import { Trans, useLingui } from '@lingui/react/macro'
import { Button, NativeSelect, SegmentedControl, Skeleton, Stack } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { MailKind, MailPreview } from 'rollbook/client'
import { ApiCallButton } from '../../api-call/button.tsx'
import { previewQuery } from '../../data/mails.ts'
import { mailKinds } from '../../data/search/mails.ts'
import { isOffered } from '../../lib/features.ts'
import { framedMessage, styleNonce } from '../../parts/frames/framed.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import styles from './mails.module.css'
import { useKindWords } from './words.ts'

type Props = { locales: readonly string[]; onClose: () => void }

/** Each message in each language, as an invented user would get it. */
export default function PreviewDialog({ locales, onClose }: Props) {
  const { t, i18n } = useLingui()
  const kinds = useKindWords()
  const [kind, setKind] = useState<MailKind>('invitation')
  const [locale, setLocale] = useState(locales.includes(i18n.locale) ? i18n.locale : (locales[0] ?? 'en'))
  const [form, setForm] = useState<'html' | 'text'>('html')
  const { data, error, refetch } = useQuery({ ...previewQuery({ kind, locale }), placeholderData: keepPreviousData })
  return (
    <Dialog isOpen onClose={onClose} title={t`Preview messages`} size="lg">
      <div className={styles.choice}>
        <NativeSelect
          data-autofocus
          label={t`Message`}
          value={kind}
          data={mailKinds.filter((one) => isOffered(one)).map((value) => ({ value, label: kinds[value] }))}
          onChange={({ currentTarget: { value } }) => setKind(mailKinds.find((one) => one === value) ?? kind)}
        />
        <NativeSelect
          label={t`Language`}
          value={locale}
          data={locales.map((value) => ({ value, label: languageName(value) }))}
          onChange={({ currentTarget: { value } }) => setLocale(value)}
        />
        <SegmentedControl
          aria-label={t`Form`}
          value={form}
          data={[
            { value: 'html', label: t`HTML` },
            { value: 'text', label: t`Plain text` },
          ]}
          onChange={(value) => setForm(value === 'text' ? 'text' : 'html')}
        />
      </div>
      {error !== null && (
        <Problem error={error} retry={() => void refetch()} title={t`The message could not be previewed.`} />
      )}
      {data === undefined ? error === null && <Skeleton height={320} /> : <Message preview={data} form={form} />}
      <p className={styles.note}>
        <Trans>
          The name and the link are invented. To use your own words, set <code>ROLLBOOK_MAIL_TEMPLATES</code>.
        </Trans>
      </p>
      <DialogFoot
        aside={<ApiCallButton size="xs" calls={[{ operation: 'POST /mails/preview', body: { kind, locale } }]} />}
      >
        <Button variant="default" onClick={onClose}>
          <Trans>Close</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}

function Message({ preview: { subject, text, html, locale }, form }: { preview: MailPreview; form: 'html' | 'text' }) {
  const { t } = useLingui()
  return (
    <Stack gap={8}>
      <p className={styles.subject}>
        <span>
          <Trans>Subject</Trans>
        </span>{' '}
        <strong lang={locale} dir="auto">
          {subject}
        </strong>
      </p>
      {form === 'html' ? (
        // No scripts, no forms, no navigation: an empty sandbox.
        <iframe
          key={html}
          title={t`The message`}
          className={styles.frame}
          sandbox=""
          srcDoc={framedMessage(html, styleNonce())}
        />
      ) : (
        // A part that scrolls must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above.
        <pre className={styles.text} lang={locale} dir="auto" tabIndex={0}>
          {text}
        </pre>
      )}
    </Stack>
  )
}

/** A language in its own words. */
export function languageName(locale: string): string {
  return new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale
}
