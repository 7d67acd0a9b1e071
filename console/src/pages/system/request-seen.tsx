/** This browser's request as the service sees it and as the browser sees it. */
import { Trans, useLingui } from '@lingui/react/macro'
import type { Deployment } from 'rollbook/client'
import { apiUrl } from '../../api/base.ts'
import { CopyLine } from '../../ui/copy.tsx'
import { IconCheck, IconWarning } from '../../ui/icons.tsx'
import { Section } from '../../ui/section.tsx'
import { State } from '../../ui/state.tsx'
import { type Check, checksOf } from './checks.ts'
import styles from './system.module.css'

export function RequestSeen({ deployment }: { deployment: Deployment }) {
  const { t } = useLingui()
  const checks = checksOf(deployment, apiUrl)
  const faults = checks.filter(({ advice }) => advice !== undefined).length
  const { request } = deployment
  return (
    <Section
      title={t`How the service sees this request`}
      description={
        request.prefix === 'stripped'
          ? t`Compared with what your browser sees. A proxy strips the prefix, which is fine.`
          : t`Compared with what your browser sees. Behind a proxy, both should be the same.`
      }
      actions={
        faults === 0 ? (
          <State kind="good">
            <Trans>All in order</Trans>
          </State>
        ) : (
          <State kind="warn">
            <Trans>Needs attention</Trans>
          </State>
        )
      }
    >
      <ul className={styles.checks}>
        {checks.map((check) => (
          <OneCheck key={check.name} check={check} />
        ))}
      </ul>
      <p className={styles.quiet}>
        {request.from_trusted_proxy ? (
          <Trans>
            The request came from the trusted proxy <code dir="ltr">{request.peer_address}</code>. Headers used:{' '}
            {request.believed.join(', ') || '–'}.
          </Trans>
        ) : (
          <Trans>
            The request came from <code dir="ltr">{request.peer_address}</code>, which is not a trusted proxy.
          </Trans>
        )}
      </p>
    </Section>
  )
}

function OneCheck({ check: { name, here, seen, advice, setting } }: { check: Check }) {
  const { t } = useLingui()
  const names: Record<Check['name'], string> = {
    scheme: t`Scheme`,
    host: t`Host`,
    prefix: t`Prefix`,
    address: t`Your address`,
    links: t`Links`,
    cookie: t`Session cookie`,
  }
  return (
    <li data-fault={advice !== undefined}>
      <span className={styles.mark}>
        {advice === undefined ? <IconCheck /> : <IconWarning />}
        <span className="visually-hidden">{advice === undefined ? t`In order:` : t`Needs attention:`}</span>
      </span>
      <strong>{names[name]}</strong>
      <dl>
        <div>
          <dt>
            <Trans>Browser</Trans>
          </dt>
          <dd>{here === undefined ? <Trans>not visible to it</Trans> : <code dir="ltr">{here}</code>}</dd>
        </div>
        <div>
          <dt>
            <Trans>Service</Trans>
          </dt>
          <dd>
            <code dir="ltr">{seen}</code>
          </dd>
        </div>
      </dl>
      {advice !== undefined && (
        <div className={styles.advice}>
          <AdviceWords name={name} advice={advice} />
          {setting !== undefined && <CopyLine text={setting} label={t`the setting`} />}
        </div>
      )}
    </li>
  )
}

function AdviceWords({ name, advice }: Required<Pick<Check, 'name'>> & { advice: NonNullable<Check['advice']> }) {
  const { t } = useLingui()
  const words: Record<NonNullable<Check['advice']>, string> = {
    trust_proxy:
      name === 'address'
        ? t`All clients seem to have the address of the proxy, so they share one rate limit. If the proxy is yours, add it to ROLLBOOK_TRUSTED_PROXIES.`
        : t`The proxy is not trusted, so its headers are ignored. If the proxy is yours, add it to ROLLBOOK_TRUSTED_PROXIES.`,
    send_proto: t`Let the proxy send X-Forwarded-Proto, and add it to ROLLBOOK_TRUSTED_PROXIES.`,
    pass_host: t`Let the proxy pass on the Host header, or set ROLLBOOK_PUBLIC_URL to the address that people use.`,
    set_public_url:
      name === 'cookie'
        ? t`The cookie would also be sent over plain http. Set ROLLBOOK_PUBLIC_URL to the address that people use.`
        : t`Links in responses would lead elsewhere. Set ROLLBOOK_PUBLIC_URL to the address that people use.`,
    use_https: t`Passwords and session cookies cross the network unencrypted. Put a proxy with https in front before others use this service.`,
  }
  return <p>{words[advice]}</p>
}
