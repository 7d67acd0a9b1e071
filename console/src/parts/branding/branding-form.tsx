import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Branding, etagOf, type SetBranding } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import {
  type BrandingValues,
  brandingBody,
  brandingFields,
  brandingPreviewQuery,
  brandingQuery,
  brandingValues,
  organizationBrandingQuery,
} from '../../data/branding.ts'
import { productName } from '../../lib/page-names.ts'
import { fieldFaults } from '../../ui/field-faults.ts'
import { Problem } from '../../ui/problem.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { Lockable, useFileLock } from '../managed/managed-by-file.tsx'
import { UnsavedChanges } from '../user-details/unsaved-changes.tsx'
import styles from './branding.module.css'
import { ContrastNote } from './contrast-note.tsx'
import { LogoField } from './logo-field.tsx'
import { Preview } from './preview.tsx'

/** After the last key: each preview is a request. */
const pauseMs = 350
const usualAccent = '#1f5fbf'

type Props = {
  branding: Branding
  /** The organization whose branding it is, and what it inherits. */
  organization?: { organizationId: string; product: Branding }
}

/** The values, their preview, their faults, and saving them. */
function useBrandingForm({ branding, organization }: Props) {
  const { t, i18n } = useLingui()
  const queries = useQueryClient()
  const form = useForm<BrandingValues>({ initialValues: brandingValues(branding) })
  const [fileFaults, setFileFaults] = useState<Partial<BrandingValues>>({})
  const body = brandingBody(form.values)
  const [drawn] = useDebouncedValue(body, pauseMs)
  const lock = useFileLock(branding)
  const of = organization && { organization_id: organization.organizationId }
  const preview = useQuery(brandingPreviewQuery({ branding: drawn, locale: i18n.locale, ...of }))
  const saving = useSubmit(
    (wanted: SetBranding) => {
      const ifMatch = etagOf(branding)
      const how = { ...lock.how, ...(ifMatch !== undefined && { ifMatch }) }
      if (organization === undefined) return api.branding.replace(wanted, how)
      return api.organizations.replaceBranding(organization.organizationId, wanted, how)
    },
    {
      onSuccess(saved) {
        const { queryKey } = organization ? organizationBrandingQuery(organization.organizationId) : brandingQuery
        queries.setQueryData<Branding>(queryKey, saved)
        showToast({ message: t`The branding is saved. Pages and messages use it from now on.` })
      },
    },
  )
  const sent = fieldFaults(saving.error, brandingFields)
  const previewed = fieldFaults(preview.error, brandingFields)
  const faults: Partial<BrandingValues> = { ...previewed.faults, ...sent.faults, ...fileFaults }
  const set = (name: keyof BrandingValues) => (value: string) => {
    setFileFaults((before) => ({ ...before, [name]: undefined }))
    saving.reset()
    form.setFieldValue(name, value)
  }
  const field = (name: keyof BrandingValues) => ({
    value: form.values[name],
    onChange: (event: { currentTarget: { value: string } }) => set(name)(event.currentTarget.value),
    error: faults[name],
  })
  const logo = (name: 'logo' | 'logo_dark') => ({
    value: form.values[name],
    onChange: set(name),
    error: faults[name],
    leftOut:
      form.values[name] === '' ? [] : (preview.data?.left_out.find(({ member }) => member === name)?.names ?? []),
    onFault: (fault: string) => setFileFaults((before) => ({ ...before, [name]: fault })),
  })
  const discard = () => {
    form.reset()
    setFileFaults({})
    saving.reset()
  }
  return { form, body, drawn, lock, preview, previewed, saving, sent, set, field, logo, discard }
}

export function BrandingForm(props: Props) {
  const { t } = useLingui()
  const { product } = props.organization ?? {}
  const inheritedName = product?.name ?? productName
  const { form, body, drawn, lock, preview, previewed, saving, sent, set, field, logo, discard } =
    useBrandingForm(props)
  const { submit, isPending, error } = saving
  const isDirty = form.isDirty()
  return (
    <div className={styles.columns}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit(body)
        }}
      >
        {lock.notice}
        <Lockable isLocked={lock.isLocked}>
          <Section title={t`Look`}>
            <Stack gap="md">
              <TextInput
                label={t`Name of the product`}
                description={
                  product === undefined
                    ? t`Empty: ${productName}, from the settings of the service.`
                    : t`Empty: ${inheritedName}, the name of the product.`
                }
                maxLength={64}
                {...field('name')}
              />
              <LogoField
                label={t`Logo`}
                description={t`SVG or PNG, at most 64 KiB. A logo at least twice as wide as it is high replaces the name, any other stands beside it.`}
                inherited={product?.logo}
                {...logo('logo')}
              />
              <LogoField
                label={t`Logo on dark ground`}
                description={t`Without one, the logo is used there, too.`}
                isDark
                // The product's is not mixed with a logo of the organization.
                inherited={form.values.logo === '' ? (product?.logo_dark ?? product?.logo) : undefined}
                {...logo('logo_dark')}
              />
              <AccentField
                {...field('accent_color')}
                inherited={product?.accent_color}
                onChoose={set('accent_color')}
              />
              {preview.data !== undefined &&
                form.values.accent_color !== '' &&
                previewed.faults.accent_color === undefined && (
                  <ContrastNote
                    preview={preview.data}
                    accent={drawn.accent_color ?? ''}
                    onUse={(readable) => set('accent_color')(readable)}
                  />
                )}
            </Stack>
          </Section>
          <LinkFields field={field} product={product} />
        </Lockable>
        {error !== null && sent.hasMore && <Problem error={error} title={t`Nothing was saved.`} />}
        <Group gap={8}>
          <Button type="submit" loading={isPending} disabled={!isDirty || lock.isLocked}>
            <Trans>Save changes</Trans>
          </Button>
          {isDirty && (
            <Button variant="default" onClick={discard}>
              <Trans>Discard changes</Trans>
            </Button>
          )}
          <ApiCallButton
            calls={[
              props.organization === undefined
                ? { operation: 'PUT /branding', query: lock.how, body: shortened(body) }
                : {
                    operation: 'PUT /organizations/{organization_id}/branding',
                    path: { organization_id: props.organization.organizationId },
                    body: shortened(body),
                  },
            ]}
          />
        </Group>
        <UnsavedChanges isDirty={isDirty} />
      </form>
      <Preview
        preview={preview.data}
        error={previewed.hasMore ? preview.error : null}
        retry={() => void preview.refetch()}
      />
    </div>
  )
}

type Input = {
  value: string
  onChange: (event: { currentTarget: { value: string } }) => void
  error: string | undefined
}

/** A colour as text, and the browser's dialog that chooses one. */
type AccentProps = Input & { inherited: string | null | undefined; onChoose: (color: string) => void }

function AccentField({ inherited, onChoose, ...input }: AccentProps) {
  const { t } = useLingui()
  const empty = inherited ?? usualAccent
  return (
    <TextInput
      label={t`Accent colour`}
      description={
        inherited
          ? t`Buttons and links. Empty: the colour of the product.`
          : t`Buttons and links. Empty: the usual blue.`
      }
      placeholder={empty}
      dir="ltr"
      maxLength={7}
      leftSection={
        <input
          type="color"
          className={styles.swatch}
          aria-label={t`Choose the accent colour`}
          value={/^#[0-9a-f]{6}$/i.test(input.value) ? input.value : empty}
          onChange={({ currentTarget: { value } }) => onChoose(value)}
        />
      }
      {...input}
    />
  )
}

type LinkProps = { field: (name: keyof BrandingValues) => Input; product: Branding | undefined }

function LinkFields({ field, product }: LinkProps) {
  const { t } = useLingui()
  const input = (name: 'terms_url' | 'privacy_url' | 'support_url') =>
    ({ type: 'url', dir: 'ltr', placeholder: product?.[name] ?? 'https://', ...field(name) }) as const
  return (
    <Section
      title={t`Links`}
      description={
        product === undefined
          ? t`At the foot of pages and messages.`
          : t`At the foot of pages and messages. Empty: those of the product.`
      }
    >
      <Stack gap="md">
        <TextInput label={t`Terms of use`} {...input('terms_url')} />
        <TextInput label={t`Privacy notice`} {...input('privacy_url')} />
        <TextInput label={t`Help`} description={t`A web page, or mailto: with an address.`} {...input('support_url')} />
      </Stack>
    </Section>
  )
}

/** A panel has no room for a logo. */
function shortened({ logo, logo_dark, ...rest }: SetBranding): SetBranding {
  const short = (url: string | null | undefined) => (url ? `${url.slice(0, 40)}…` : (url ?? null))
  return { ...rest, logo: short(logo), logo_dark: short(logo_dark) }
}
