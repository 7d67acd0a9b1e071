/** Makes new recovery codes, which are shown once. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { changedByOwnFactors } from '../../data/factors.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import styles from './factor.module.css'

type Props = {
  /** How many earlier codes end. */
  left: number
  onClose: () => void
}

export default function RecoveryCodesDialog({ left, onClose }: Props) {
  const { t } = useLingui()
  const [isShown, setIsShown] = useState(false)
  return (
    <Dialog isOpen onClose={onClose} size="lg" loses={isShown ? 'secret' : undefined} title={t`Recovery codes`}>
      <RecoveryCodes left={left} onClose={onClose} onShown={() => setIsShown(true)} />
    </Dialog>
  )
}

type LastStepProps = { isShown: boolean; onShown: () => void; onClose: () => void; children: ReactNode }

/** The last step after a user without recovery codes has added a factor. The children say what was added. */
export function LastStep({ isShown, onShown, onClose, children }: LastStepProps) {
  return (
    <>
      {!isShown && (
        <p className={styles.done} role="status">
          {children}
        </p>
      )}
      <RecoveryCodes left={0} onClose={onClose} onShown={onShown} />
    </>
  )
}

function RecoveryCodes({ left, onClose, onShown }: Props & { onShown: () => void }) {
  const [codes, setCodes] = useState<readonly string[]>()
  const { submit, isPending, error } = useSubmit(
    (_: 'replace', idempotencyKey) => api.factors.replaceRecoveryCodes({ idempotencyKey }),
    {
      stale: changedByOwnFactors,
      onSuccess({ recovery_codes }) {
        setCodes(recovery_codes)
        onShown()
      },
    },
  )
  if (codes !== undefined) return <Shown codes={codes} onClose={onClose} />
  return (
    <>
      <p className={styles.text}>
        <Trans>
          Ten codes for the day you lose your phone. Each works once in place of a one-time code. Keep them where you
          keep important papers, or in a password manager.
        </Trans>
      </p>
      {left > 0 && (
        <p className={styles.warning}>
          <Plural
            value={left}
            one="New codes replace the earlier ones: the one that is left stops working."
            other="New codes replace the earlier ones: the # that are left stop working."
          />
        </p>
      )}
      {error && <Problem error={error} />}
      <DialogFoot aside={<ApiCallButton calls={[{ operation: 'POST /me/recovery-codes' }]} />}>
        <Button variant="default" onClick={onClose}>
          {left > 0 ? <Trans>Cancel</Trans> : <Trans>Later</Trans>}
        </Button>
        <Button data-autofocus autoFocus loading={isPending} onClick={() => submit('replace')}>
          <Trans>Make recovery codes</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}

function Shown({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useLingui()
  const { username } = useMe()
  const service = location.host
  const text = codes.join('\n')
  const heading = t`Recovery codes of ${username} for ${service}`
  const save = () =>
    saveFile(new Blob([`${heading}\n\n${text}\n`], { type: 'text/plain' }), `recovery-codes-${username}.txt`)
  return (
    <>
      <p className={styles.warning} role="status">
        <strong>
          <Trans>Save them now. They are shown only once.</Trans>
        </strong>
      </p>
      <section className={styles.kept} aria-label={t`Recovery codes`}>
        <h3>{heading}</h3>
        <ol dir="ltr">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
      </section>
      <Group gap={8}>
        <CopyButton text={text} label={t`the recovery codes`} />
        <Button size="xs" variant="default" onClick={save}>
          <Trans>Download</Trans>
        </Button>
        <Button size="xs" variant="default" onClick={() => window.print()}>
          <Trans>Print</Trans>
        </Button>
      </Group>
      <DialogFoot>
        <Button onClick={onClose}>
          <Trans>I have saved them</Trans>
        </Button>
      </DialogFoot>
    </>
  )
}
