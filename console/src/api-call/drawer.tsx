import { Trans, useLingui } from '@lingui/react/macro'
import { Drawer, SegmentedControl, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useId, useMemo, useState } from 'react'
import { apiUrl, placeOf } from '../api/base.ts'
import type { ApiCall } from '../api/call.ts'
import { useCan } from '../api/me.ts'
import { CopyLine } from '../ui/copy.tsx'
import { cliOf } from './cli.ts'
import { curlOf } from './curl.ts'
import styles from './drawer.module.css'
import { operations } from './operations.ts'
import { pythonOf } from './python.ts'
import { randomKey } from './random-key.ts'
import { sdkOf, sdkOpening } from './sdk.ts'
import { shellWord } from './shell.ts'

type Props = { calls: readonly ApiCall[]; isOpen: boolean; onClose: () => void }
type Form = 'curl' | 'sdk' | 'cli' | 'python'

const storageKey = 'rollbook-api-form'

export default function ApiCallDrawer({ calls, isOpen, onClose }: Props) {
  const { t } = useLingui()
  const [form, setForm] = useState(rememberedForm)
  const id = useId()
  const forms = [
    { value: 'curl', label: 'curl' },
    { value: 'sdk', label: 'SDK' },
    { value: 'cli', label: t`Command line` },
    { value: 'python', label: 'Python' },
  ] as const satisfies { value: Form; label: string }[]
  const isUser = calls.some(({ operation }) => operations[operation].needs === 'user')
  const isPublic = calls.every(({ operation }) => operations[operation].needs === 'public')
  return (
    // Composed from parts, because the ready-made heading is a landmark, and over a dialog there would be two.
    <Drawer.Root opened={isOpen} onClose={onClose} position="right" closeOnEscape={false} size="lg">
      <Drawer.Overlay />
      <Drawer.Content>
        <div className={styles.head}>
          <Drawer.Title className={styles.title ?? ''}>
            <Trans>Use the API instead</Trans>
          </Drawer.Title>
          <Drawer.CloseButton aria-label={t`Close`} />
        </div>
        <Drawer.Body>
          <Stack gap="lg">
            <p className={styles.intro}>
              <Trans>
                This page is a client of the public API. These are the requests it sends, with the current values.
              </Trans>
            </p>
            <SegmentedControl
              fullWidth
              data={[...forms]}
              value={form}
              onChange={(value) => {
                const chosen = forms.find((one) => one.value === value)?.value ?? 'curl'
                localStorage.setItem(storageKey, chosen)
                setForm(chosen)
              }}
              aria-label={t`Form`}
            />
            {!isPublic && <Before form={form} isUser={isUser} onLeave={onClose} />}
            {calls.map((call, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an operation can occur twice, and the order never changes.
              <OneCall key={index} call={call} form={form} headingId={`${id}-${index}`} />
            ))}
          </Stack>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}

/** The one-time setup before the lines below can be pasted. */
function Before({ form, isUser, onLeave }: { form: Form; isUser: boolean; onLeave: () => void }) {
  const { t } = useLingui()
  const mayMakeKeys = useCan('keys:write')
  const variable = isUser ? 'ROLLBOOK_TOKEN' : 'ROLLBOOK_API_KEY'
  const read = `read -rs ${variable} && export ${variable}`
  return (
    <section className={styles.call}>
      <h3>{form === 'sdk' ? <Trans>Once per program</Trans> : <Trans>Once per shell</Trans>}</h3>
      {form === 'sdk' ? (
        <CopyLine text={sdkOpening(apiUrl, { isUser })} label={t`the beginning of the program`} />
      ) : (
        <CopyLine
          text={form === 'cli' ? `export ROLLBOOK_URL=${shellWord(apiUrl)}\n${read}` : read}
          label={t`the line that asks for the key`}
        />
      )}
      <p className={styles.note}>
        {isUser ? (
          <Trans>
            An API key has no account of its own. Use an access token of the user, which a page of your product gets
            from <code>POST /token</code>, in the variable <code>{variable}</code>.
          </Trans>
        ) : form === 'sdk' ? (
          <Trans>
            The program reads the API key from the variable <code>{variable}</code>.
          </Trans>
        ) : (
          <Trans>
            This line waits for an API key: paste it and press Enter. The key is not shown and stays out of the shell’s
            history.
          </Trans>
        )}{' '}
        {!isUser && mayMakeKeys && (
          <Link to="/keys" onClick={onLeave}>
            <Trans>Create key</Trans>
          </Link>
        )}
      </p>
    </section>
  )
}

function OneCall({ call, form, headingId }: { call: ApiCall; form: Form; headingId: string }) {
  const { t } = useLingui()
  const { operation } = call
  const { id, needs } = operations[operation]
  const written = JSON.stringify(call)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another request gets another key; the same one keeps it.
  const idempotencyKey = useMemo(randomKey, [written])
  const place = { apiUrl, idempotencyKey }
  const text = {
    curl: () => curlOf(call, place),
    sdk: () => sdkOf(call),
    cli: () => cliOf(call),
    python: () => pythonOf(call, place),
  }[form]()
  return (
    <section className={styles.call} aria-labelledby={headingId}>
      <h3 id={headingId}>
        <code dir="ltr">{operation}</code>
      </h3>
      <CopyLine text={text} label={operation} />
      <p className={styles.note}>
        {needs === 'public' ? (
          <Trans>Needs no credential.</Trans>
        ) : needs === 'user' ? (
          <Trans>For the signed-in user.</Trans>
        ) : needs === 'any' ? (
          <Trans>Needs any valid API key.</Trans>
        ) : (
          <Trans>
            Needs the permission <code>{needs}</code>.
          </Trans>
        )}{' '}
        <a
          href={`${placeOf('docs')}#/default/${id}`}
          target="_blank"
          rel="noreferrer"
          aria-label={t`${operation} on the docs page`}
        >
          <Trans>On the docs page</Trans>
        </a>
      </p>
    </section>
  )
}

function rememberedForm(): Form {
  const stored = localStorage.getItem(storageKey)
  return stored === 'cli' || stored === 'sdk' || stored === 'python' ? stored : 'curl'
}
