--
-- PostgreSQL database dump
--

\restrict 0aCyZzUDbIaaQJ2aWdbf2vIDAThttWtHh2JUyu5rP3vYO3YHDUTsVRj93bqA4vC

-- Dumped from database version 17.6
-- Dumped by pg_dump version 17.7

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);

--
-- Data for Name: audit_log_entries; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY auth.audit_log_entries (instance_id, id, payload, created_at, ip_address) FROM stdin;
00000000-0000-0000-0000-000000000000	fa5c117c-a7d6-4b82-8da9-84553173f84a	{"action":"user_signedup"}	2024-09-04 06:20:51.18272+00	
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at, phone, phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at, email_change_token_current, email_change_confirm_status, banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous) FROM stdin;
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000001	authenticated	authenticated	ada@example.com	$2a$10$wHBMlZnf4PBq8z2BWTZeFubXzql411CwV5L.Nw3U5etdp34RuCsFi	2024-09-04 06:21:04.711826+00	\N		\N		\N			\N	2025-11-20 08:00:00.5+00	{"provider": "email", "providers": ["email", "github"], "roles": ["editor"]}	{"sub": "8d1f6b5e-3c1a-4b7e-9a64-000000000001", "email": "ada@example.com", "email_verified": true, "first_name": "Ada", "last_name": "Lovelace", "role": "admin", "bio": "says: \\"it's\\\\fine\\"\\nand more"}	\N	2024-09-04 06:20:51.18272+00	2025-01-01 00:00:00+00	\N	\N			\N		0	\N		\N	f	\N	f
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000002	authenticated	authenticated	charles@example.com	$2a$10$hcfA8kpjDY1vMK35UArkOuaM6b3VSFMxZDOiGDs8K6Z5t3E2QqLyS	2024-09-05 10:00:00+02	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{"full_name": "Charles Babbage"}	t	2024-09-04 06:20:52.18272+00	2025-01-01 00:00:00+00	\N	\N			\N		0	2124-09-05 10:00:00+00		\N	f	\N	f
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000003	authenticated	authenticated	\N		\N	\N		\N		\N			\N	\N	{"provider": "phone", "providers": ["phone"]}	{}	\N	2024-09-04 06:20:53.18272+00	2025-01-01 00:00:00+00	441234567890	2024-09-05 10:00:00+00			\N		0	2024-12-01 00:00:00+00		\N	f	\N	f
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000004	authenticated	authenticated		\N	\N	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{}	\N	2024-09-04 06:20:54.18272+00	2025-01-01 00:00:00+00	\N	\N			\N		0	\N		\N	f	2025-02-02 00:00:00+00	f
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000005	authenticated	authenticated	\N	\N	\N	\N		\N		\N			\N	\N	{"provider": "email", "providers": ["email"]}	{}	\N	2024-09-04 06:20:55.18272+00	2025-01-01 00:00:00+00	\N	\N			\N		0	\N		\N	f	\N	t
00000000-0000-0000-0000-000000000000	8d1f6b5e-3c1a-4b7e-9a64-000000000006	authenticated	authenticated	grace@example.com	\N	\N	\N		\N		\N			\N	\N	{"provider": "google", "providers": ["google"]}	{"name": "Grace Brewster Hopper", "avatar_url": "https://photos.example.com/g.png"}	\N	2024-09-04 06:20:56.18272+00	2025-01-01 00:00:00+00	\N	\N			\N		0	\N		\N	f	\N	f
\.


--
-- Data for Name: mfa_factors; Type: TABLE DATA; Schema: auth; Owner: supabase_auth_admin
--

COPY auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone, last_challenged_at) FROM stdin;
5f0a1a1a-0000-4000-8000-000000000001	8d1f6b5e-3c1a-4b7e-9a64-000000000001	phone	totp	verified	2025-01-01 00:00:00+00	2025-01-01 00:00:00+00	GEZDGNBVGY3TQOJQ	\N	\N
5f0a1a1a-0000-4000-8000-000000000002	8d1f6b5e-3c1a-4b7e-9a64-000000000002	\N	totp	unverified	2025-01-01 00:00:00+00	2025-01-01 00:00:00+00	GEZDGNBVGY3TQOJQ	\N	\N
\.


--
-- PostgreSQL database dump complete
--

\unrestrict 0aCyZzUDbIaaQJ2aWdbf2vIDAThttWtHh2JUyu5rP3vYO3YHDUTsVRj93bqA4vC

