import { providerScenarios } from '../contract/provider-scenarios.contract.ts';
import { SANDBOX_TARGETS } from './provider-targets.ts';

for (const target of SANDBOX_TARGETS) providerScenarios(target);
