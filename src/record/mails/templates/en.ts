import type { MailKind } from '../kinds.ts'

const notYou =
  '> If this was not you, another person may have access to your account. Reset your password and tell your administrator.'

export const en: Readonly<Record<MailKind, string>> = {
  invitation: `Subject: You are invited to {{product}}
Summary: Choose a password for your account {{username}}.

# Welcome to {{product}}

Hello {{name}}, an account has been created for you. Your username is {{username}}.

Choose a password to finish.

[Accept the invitation]({{link}})

> The link works once, until {{expires}}. Do not forward this message: the link belongs to you alone.

> If you did not expect this invitation, you can ignore it.`,
  verification: `Subject: Confirm your email address for {{product}}
Summary: Confirm that {{email}} is your address.

# Confirm your email address

Hello {{name}}, please confirm that {{email}} is your address.

Open the link in the browser in which you are signed in.

[Confirm the address]({{link}})

> The link works once, until {{expires}}. If you did not ask for this message, you can ignore it.`,
  password_reset: `Subject: Set a new password for {{product}}
Summary: The link works once, until {{expires}}.

# Set a new password

Hello {{name}}, a new password was requested for your account {{username}}.

[Set a new password]({{link}})

> The link works once, until {{expires}}. Do not forward this message: the link belongs to you alone.

> If you did not ask for this message, you can ignore it. Your password stays as it is.`,
  sign_in_code: `Subject: {{code}} is your code for {{product}}
Summary: Enter it in the browser in which you are signing in, by {{expires}}.

# Your sign-in code

Hello {{name}}, to sign in to {{product}} ({{site}}) as {{username}}, enter this code in the browser in which you asked for it:

# {{code}}

It was requested in {{device}}, from the address {{address}}. The code works once, until {{expires}}.

> Do not share the code, and enter it only at {{site}}. {{product}} never asks for it by phone or message.

> If you did not ask for this message, you can ignore it: the person who did cannot sign in without the code.`,
  password_changed: `Subject: Your password for {{product}} was changed
Summary: Password changed on {{time}}.

# Your password was changed

Hello {{name}}, the password of your account {{username}} was changed on {{time}}.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

${notYou}`,
  email_changed: `Subject: Your email address for {{product}} was changed
Summary: Messages about your account now go to {{email}}, since {{time}}.

# Your email address was changed

Hello {{name}}, messages about your account {{username}} now go to {{email}} and no longer to this address. It was changed on {{time}}.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

> If this was not you, tell your administrator at once: your account may have been taken over.`,
  email_requested: `Subject: Your email address was entered for another account for {{product}}
Summary: It stays with your account {{username}}. Requested on {{time}}.

# Your email address was entered for another account

Hello {{name}}, on {{time}} a user of {{product}} asked to add this address to another account. It belongs to your account {{username}}, so the other account did not get it.

[Go to your account]({{account}})

> If it was you, change the address of the account {{username}} first, or use that account.

> If this was not you, there is nothing to do. Your account was not changed.`,
  email_renewed: `Subject: Your email address for {{product}} was renewed
Summary: Your company stated {{email}} as your address on {{time}}.

# Your company has changed your email address

Hello {{name}}, messages about your account {{username}} now go to {{email}}. Your company stated this address when you signed in, on {{time}}.

[Go to your account]({{account}})

> If this address is not yours, tell your administrator.`,
  identity_linked: `Subject: You can sign in to {{product}} with {{connection}}
Summary: An administrator linked an account of {{connection}} to yours on {{time}}.

# An account was linked to yours

Hello {{name}}, an administrator has linked an account of {{connection}} to your account {{username}}, on {{time}}. You can sign in with it from now on.

[Go to your account]({{account}})

> If you did not expect this, tell another administrator: with a wrong account, another person could sign in as you.`,
  impersonated: `Subject: An administrator viewed {{product}} as you
Summary: {{administrator}} signed in as your account on {{time}}. Reason: {{reason}}

# An administrator acts as you

Hello {{name}}, the administrator {{administrator}} signed in as your account {{username}} on {{time}}, for an hour at most.

The reason given: {{reason}}

They see what you see, and cannot change your password, your email address or anything else of your account here.

[Go to your account]({{account}})

> If you did not ask for help, tell another administrator.`,
  new_sign_in: `Subject: New sign-in to {{product}}
Summary: New browser: {{device}}, from the address {{address}}, on {{time}}.

# New sign-in

Hello {{name}}, your account {{username}} was used on {{time}}.

New browser: {{device}}, from the address {{address}}.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

${notYou}`,
  key_created: `Subject: A new API key for {{product}} was created
Summary: API key "{{key}}" created on {{time}}.

# A new API key was created

Hello {{name}}, the API key "{{key}}" was created with your account {{username}} on {{time}}.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

> If this was not you, revoke the key, reset your password and tell your administrator.`,
  factor_added: `Subject: A second factor was added to your account for {{product}}
Summary: Second factor "{{factor}}" added on {{time}}.

# A second factor was added

Hello {{name}}, "{{factor}}" can now be used to sign in to your account {{username}}. It was added on {{time}}.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

${notYou}`,
  factor_removed: `Subject: A second factor was removed from your account for {{product}}
Summary: Second factor "{{factor}}" removed on {{time}}.

# A second factor was removed

Hello {{name}}, "{{factor}}" can no longer be used to sign in to your account {{username}}. It was removed on {{time}}.

[Go to your account]({{account}})

> If you removed it, or asked your administrator to, there is nothing to do.

${notYou}`,
  factors_reset: `Subject: All second factors of your account for {{product}} were removed
Summary: All second factors and recovery codes removed on {{time}}.

# All second factors were removed

Hello {{name}}, an administrator removed all second factors and recovery codes of your account {{username}} on {{time}}.

Your password alone may now be enough to sign in. Sign in and add a new second factor.

[Go to your account]({{account}})

> If you did not ask for this, tell your administrator at once.`,
  recovery_code_used: `Subject: A recovery code was used for {{product}}
Summary: Recovery code used on {{time}}. Codes left: {{remaining}}.

# A recovery code was used

Hello {{name}}, a recovery code of your account {{username}} was used on {{time}}.

Recovery codes left: {{remaining}}. Sign in and create new ones; they replace the ones that are left.

[Go to your account]({{account}})

> If you have lost your phone or security key, remove it from your account too.

${notYou}`,
  recovery_codes_replaced: `Subject: New recovery codes for {{product}} were created
Summary: New recovery codes created on {{time}}. Earlier ones no longer work.

# New recovery codes were created

Hello {{name}}, new recovery codes were created for your account {{username}} on {{time}}. Earlier ones no longer work.

[Go to your account]({{account}})

> If it was you, there is nothing to do.

${notYou}`,
  connection_changed: `Subject: The sign-in of {{connection}} to {{product}} was changed
Summary: Company sign-in "{{connection}}" changed on {{time}}.

# A company sign-in was changed

Hello {{name}}, the connection "{{connection}}", through which users sign in to {{product}}, was changed on {{time}}. You get this message because you administer {{product}} as {{username}}.

A person who controls a connection can become any of its users.

[Go to your account]({{account}})

> If no administrator planned this, deactivate the connection, and look in the audit log who changed it.`,
  certificate_expiring: `Subject: A certificate of {{connection}} expires soon
Summary: Certificate of "{{connection}}" expires on {{time}}.

# A certificate expires soon

Hello {{name}}, a certificate of the connection "{{connection}}" to {{product}} expires on {{time}}. From then on, its users can no longer sign in.

Get the next certificate from the provider, and add it to the connection before that day. Both work side by side.

[Go to your account]({{account}})

> You get this message because you administer {{product}} as {{username}}.`,
  access_ending: `Subject: Your access to {{product}} ends soon
Summary: Your access ends on {{time}}.

# Your access ends soon

Hello {{name}}, your access to {{product}} as {{username}} ends on {{time}}. From then on you cannot sign in.

If you need access for longer, ask your administrator before then.

[Go to your account]({{account}})`,
  access_endings: `Subject: Access to {{product}} ends soon for some users
Summary: The access of these users ends within a week.

# Access ends soon

Hello {{name}}, the access of these users of {{product}} ends within a week:

{{users}}

Set a later end date for those who need access for longer.

[Go to your account]({{account}})

> You get this message at most once a day, because you may change users of {{product}} as {{username}}. It was written on {{time}}.`,
  inactivity_notice: `Subject: Your account for {{product}} will be disabled
Summary: Your account will be disabled on {{time}} unless you sign in.

# Sign in to keep your account

Hello {{name}}, you have not used {{product}} as {{username}} for a long time. Your account will be disabled on {{time}} unless you sign in before then.

[Go to your account]({{account}})

> You need not do anything if you no longer need the account.`,
  membership_ending: `Subject: Your membership of a group at {{product}} ends soon
Summary: Your membership of {{group}} ends on {{time}}.

# Your membership of a group ends soon

Hello {{name}}, your account {{username}} at {{product}} is in the group {{group}} until {{time}}. From then on you do not have what this group allows.

If you need it for longer, ask your administrator before then.

[Go to your account]({{account}})`,
  notices: `Subject: Changes to your account for {{product}}
Summary: Several changes to your account {{username}}.

# Changes to your account

Hello {{name}}, this happened with your account {{username}}:

{{notices}}

[Go to your account]({{account}})

> If it was you, there is nothing to do.

${notYou}`,
  access_request: `Subject: Ask for access to {{product}}
Summary: Confirm your address, and say why you need access.

# Ask for access to {{product}}

This address was entered on the page on which people ask for access to {{product}}.

Open the page to confirm the address and to send your request. An administrator then decides.

[Send your request]({{link}})

> The link works once, until {{expires}}. Do not forward this message: the link belongs to you alone.

> If you did not ask for access, you can ignore this message. Nothing was created.`,
  access_known: `Subject: You have an account for {{product}}
Summary: Sign in with this address. You need not ask for access.

# You have an account already

This address was entered on the page on which people ask for access to {{product}}. It belongs to an account already: sign in with it, and choose "Forgot your password?" if you need a new password.

[Go to your account]({{account}})

> If you cannot sign in, ask your administrator.

> If it was not you who entered it, there is nothing to do. Your account was not changed.`,
  access_waiting: `Subject: Your request for access to {{product}} is waiting
Summary: You asked on {{time}}. An administrator has not decided yet.

# Your request is waiting

You asked for access to {{product}} on {{time}}. An administrator has not decided yet. You get a message as soon as there is a decision.

> If it was not you who asked, you can ignore this message.`,
  access_declined: `Subject: Your request for access to {{product}} was declined
Summary: An administrator decided on {{time}}.

# Your request was declined

You asked for access to {{product}}. An administrator declined your request on {{time}}.

Reason: {{reason}}

> If you think that this is a mistake, ask the person who told you about {{product}}.`,
  access_company: `Subject: You sign in to {{product}} with {{connection}}
Summary: Enter your address on the sign-in page. You need no password here.

# You sign in with {{connection}}

You asked for access to {{product}}. People with your address sign in with {{connection}}: enter your address on the sign-in page. You need no password here.

[Go to your account]({{account}})

> If you did not ask for access, you can ignore this message.`,
  access_requests: `Subject: People ask for access to {{product}}
Summary: Requests for access wait for a decision.

# People ask for access

Hello {{name}}, requests for access to {{product}} wait for a decision.

[See the requests]({{requests}})

> You get this message, at most once an hour, because you may create users as {{username}}. Requests expire after 30 days.`,
  review_due: `Subject: Access review {{review}} is due soon
Summary: Access review "{{review}}" is due on {{time}}.

# An access review is due soon

Hello {{name}}, the access review "{{review}}" of {{product}} is due on {{time}}, and some of its rows are not decided yet.

[Open the access reviews]({{reviews}})

> You get this message because you decide in this review as {{username}}.`,
  setup_link: `Subject: Set up {{product}} for {{organization}}
Summary: Set up domains, sign-in and users for {{organization}}. You need no account.

# Set up {{product}} for {{organization}}

You can connect {{organization}} to {{product}}, so that your colleagues sign in the way they do elsewhere. The page leads you through it step by step. You need no account.

[Start the setup]({{link}})

> The link works until {{expires}}, as often as you need it. Its holder decides who can sign in for {{organization}}: forward it only to the person who looks after sign-in at your company.

> If you did not expect this message, ask the person who told you about {{product}}, or ignore it.`,
  test: `Subject: Test message from {{product}}
Summary: {{product}} can send email.

# It works

Hello {{name}}, this message shows that {{product}} can send email. It was requested on {{time}}.`,
}
