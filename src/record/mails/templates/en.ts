import type { MailKind } from '../kinds.ts'

const notYou =
  '> If this was not you, somebody else may have access to your account. Reset your password and tell your administrator.'

export const en: Readonly<Record<MailKind, string>> = {
  invitation: `Subject: You are invited to {{product}}

# Welcome to {{product}}

Hello {{name}}, an account has been created for you. Your username is {{username}}.

Choose a password to finish.

[Accept the invitation]({{link}})

> The link works once, until {{expires}}. Do not forward this message: the link belongs to you alone.

> If you did not expect this invitation, you can ignore it.`,
  verification: `Subject: Confirm your email address for {{product}}

# Confirm your email address

Hello {{name}}, please confirm that {{email}} is your address.

Open the link in the browser in which you are signed in.

[Confirm the address]({{link}})

> The link works once, until {{expires}}. If you did not ask for this message, you can ignore it.`,
  password_reset: `Subject: Set a new password for {{product}}

# Set a new password

Hello {{name}}, a new password was requested for your account {{username}}.

[Set a new password]({{link}})

> The link works once, until {{expires}}. Do not forward this message: the link belongs to you alone.

> If you did not ask for this message, you can ignore it. Your password stays as it is.`,
  password_changed: `Subject: Your password for {{product}} was changed

# Your password was changed

Hello {{name}}, the password of your account {{username}} was changed on {{time}}.

> If it was you, there is nothing to do.

${notYou}`,
  email_changed: `Subject: Your email address for {{product}} was changed

# Your email address was changed

Hello {{name}}, messages about your account {{username}} now go to {{email}} and no longer to this address. It was changed on {{time}}.

> If it was you, there is nothing to do.

> If this was not you, tell your administrator at once: your account may have been taken over.`,
  new_sign_in: `Subject: New sign-in to {{product}}

# New sign-in

Hello {{name}}, your account {{username}} was used in a browser that we do not know: {{device}}, from the address {{address}}, on {{time}}.

> If it was you, there is nothing to do.

${notYou}`,
  key_created: `Subject: A new API key for {{product}} was created

# A new API key was created

Hello {{name}}, the API key "{{key}}" was created with your account {{username}} on {{time}}.

> If it was you, there is nothing to do.

> If this was not you, revoke the key, reset your password and tell your administrator.`,
  test: `Subject: Test message from {{product}}

# It works

Hello {{name}}, this message shows that {{product}} can send email. It was requested on {{time}}.`,
}
