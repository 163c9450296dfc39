import { providerScenarios } from '../contract/provider-scenarios.contract.ts';
import { RADICALE_TARGET } from './provider-targets.ts';

providerScenarios(RADICALE_TARGET);
